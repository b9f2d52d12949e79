//! Arbitrary claims for property tests, in the words of [`any_node`](crate::any_node), so that some
//! of them hold.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::{Assertion, Claim, PageAddress, PathItem, Predicate, Scope, Valued};
use crate::Platform;

fn role() -> impl Strategy<Value = String> {
    const ROLES: [&str; 8] = [
        "button",
        "link",
        "textbox",
        "list",
        "listitem",
        "heading",
        "form",
        "navigation",
    ];
    prop::sample::select(ROLES.to_vec()).prop_map(str::to_owned)
}

fn name() -> impl Strategy<Value = String> {
    const NAMES: [&str; 7] = [
        "Save",
        "Item 7",
        "Log out",
        "Price 12.50",
        "Next",
        "搜索",
        " Save  me",
    ];
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned)
}

fn tag() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["button", "a", "input", "li", "div"]).prop_map(str::to_owned)
}

/// Any predicate that a scenario for a platform may hold.
pub fn any_predicate(platform: Platform) -> impl Strategy<Value = Predicate> {
    let identifier = option::of(prop::sample::select(vec!["save", "list", "row-10234"]));
    let fields = (
        option::of(role()),
        option::of(name()),
        option::weighted(0.1, tag()),
        identifier,
        option::of(role()),
    );
    (fields, name()).prop_map(
        move |((role, name, tag, identifier, role_hint), otherwise)| {
            let is_phone = platform != Platform::Web;
            let identifier = identifier.filter(|_| is_phone).map(str::to_owned);
            let is_empty = [&role, &name, &tag, &identifier]
                .into_iter()
                .all(Option::is_none);
            Predicate {
                role,
                name: if is_empty { Some(otherwise) } else { name },
                tag,
                identifier,
                role_hint,
            }
        },
    )
}

/// Any container, with or without a path.
pub fn any_scope() -> impl Strategy<Value = Scope> {
    let any_name = || prop_oneof![Just(String::new()), name()];
    let item = (role(), option::of(any_name()), option::weighted(0.1, tag()))
        .prop_map(|(role, name, tag)| PathItem { role, name, tag });
    let path = option::of(vec(item, 1..3));
    (role(), any_name(), option::weighted(0.1, tag()), path).prop_map(|(role, name, tag, path)| {
        Scope {
            role,
            name,
            tag,
            path,
        }
    })
}

/// Any claim that a scenario for a platform may hold.
pub fn any_claim(platform: Platform) -> impl Strategy<Value = Claim> {
    let node = || any_predicate(platform);
    let value = prop::sample::select(vec!["", "7", "abc"]);
    let address = prop_oneof![
        prop::sample::select(vec!["http://127.0.0.1:8000/shop", "https://a.test/b?c=1#d"])
            .prop_map(|url| PageAddress::Url(url.into())),
        prop::sample::select(vec!["/shop", "?page=2", "/nowhere"])
            .prop_map(|part| PageAddress::Contains(part.into())),
    ];
    prop_oneof![
        3 => node().prop_map(Claim::NodePresent),
        3 => node().prop_map(Claim::NodeAbsent),
        1 => node().prop_map(Claim::NodeInViewport),
        2 => (node(), value).prop_map(|(node, value)| Claim::NodeValue(Valued {
            node: Predicate { role_hint: None, ..node },
            value: value.into(),
        })),
        1 => address.prop_map(Claim::PageUrl),
    ]
}

/// Any claim, on the whole page or inside a container.
pub fn any_assertion(platform: Platform) -> impl Strategy<Value = Assertion> {
    let parts = (
        any_claim(platform),
        option::of(name()),
        option::weighted(0.3, any_scope()),
    );
    parts.prop_map(|(claim, description, scope)| Assertion {
        claim,
        description,
        scope,
    })
}
