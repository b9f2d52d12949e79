//! What a replay refuses to do, by the words of the live element and of what a press on it activates
//! (VIEW-020 to VIEW-022).
//!
//! The classes and their codes are those of older replay drivers, so that a scenario that is refused
//! there is refused here. They are not the words of the [`Blocklist`](crate::Blocklist), by which
//! exploring and the answers to dialogs go.

use super::text::plain;
use super::{Boundary, CommitSign, commit_sign};
use crate::{Action, Node, Observation};

/// English words and phrases are met as whole words, Chinese ones anywhere.
struct Class {
    code: &'static str,
    words: &'static [&'static str],
}

const CLASSES: [Class; 4] = [
    Class {
        code: "DESTRUCTIVE_TARGET",
        words: &[
            "delete",
            "remove",
            "erase",
            "uninstall",
            "factory reset",
            "close account",
            "close my account",
            "terminate account",
            "terminate my account",
            "permanent",
            "permanently",
            "删除",
            "移除",
            "清空",
            "卸载",
            "恢复出厂",
            "注销账号",
            "销户",
        ],
    },
    Class {
        code: "FINANCIAL_TARGET",
        words: &[
            "buy",
            "purchase",
            "pay",
            "checkout",
            "place order",
            "confirm order",
            "transfer money",
            "transfer funds",
            "send money",
            "subscribe",
            "交易",
            "购买",
            "支付",
            "付款",
            "下单",
            "结算",
            "转账",
            "打款",
            "订阅",
        ],
    },
    Class {
        code: "EXTERNAL_COMMIT_TARGET",
        words: &[
            "publish",
            "post",
            "send",
            "reply",
            "tweet",
            "share",
            "submit application",
            "submit review",
            "submit feedback",
            "发布",
            "发送",
            "回复",
            "发帖",
            "提交申请",
            "提交评价",
            "分享",
        ],
    },
    Class {
        code: "SECURITY_TARGET",
        words: &[
            "change password",
            "reset password",
            "disable 2fa",
            "disable mfa",
            "revoke",
            "rotate key",
            "rotate token",
            "修改密码",
            "重置密码",
            "关闭双重验证",
            "关闭两步验证",
            "吊销",
            "撤销授权",
        ],
    },
];

/// Why an action on a live element of a view is refused, if it is: a stable code. The boundary says
/// which forms lead out of the app.
#[must_use]
pub fn replay_refusal(
    action: &Action,
    view: &Observation,
    index: usize,
    boundary: &Boundary,
) -> Option<&'static str> {
    let node = &view.nodes[index];
    if matches!(action, Action::Fill { .. } | Action::Type { .. }) {
        return node.flags.secret.then_some("CREDENTIAL_ENTRY_REJECTED");
    }
    if let Action::Select { option, .. } = action {
        return refused_name(option);
    }
    let is_tap = matches!(action, Action::Tap { .. });
    let presses = |wanted: &str| matches!(action, Action::Press { key, .. } if key == wanted);
    if !(is_tap || presses("Enter") || presses("Space") || presses(" ")) {
        return None;
    }
    let sends = if is_tap {
        node.flags.submit
    } else {
        node.flags.submit || node.flags.editable && presses("Enter")
    };
    if sends && leads_out(node, boundary) {
        return Some("EXTERNAL_COMMIT_TARGET");
    }
    if !is_tap && node.flags.editable {
        // Enter does what the button of the field's form does; the field's own name says nothing of
        // that.
        let form = node.form.filter(|_| presses("Enter"))?;
        let buttons = view.nodes.iter();
        return buttons
            .filter(|button| button.form == Some(form) && button.flags.submit)
            .find_map(refused);
    }
    refused(node).or_else(|| {
        let around = &view.nodes[activated(view, index)?];
        let is_foreign = around.flags.submit && leads_out(around, boundary);
        let foreign = is_foreign.then_some("EXTERNAL_COMMIT_TARGET");
        foreign.or_else(|| refused(around))
    })
}

/// What a press on an element inside of it activates, such as the link around a picture.
fn activated(view: &Observation, index: usize) -> Option<usize> {
    let mut at = index;
    while !activates(&view.nodes[at]) {
        at = view.nodes[at].parent?;
    }
    Some(at).filter(|at| *at != index)
}

/// Whether a press on it, or on anything in it that does nothing itself, does something.
fn activates(node: &Node) -> bool {
    const ACTIVE: [&str; 10] = [
        "button",
        "checkbox",
        "link",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "option",
        "radio",
        "switch",
        "tab",
    ];
    let flags = node.flags;
    let is_active = node.link.is_some() || flags.submit || flags.editable;
    is_active || ACTIVE.contains(&node.role.as_str())
}

/// Why an element is not pressed, by what it says of itself.
fn refused(node: &Node) -> Option<&'static str> {
    let field = node.field.as_deref();
    if field.is_some_and(|field| field.kind == "file") {
        return Some("FILE_UPLOAD_REJECTED");
    }
    if node.flags.download {
        return Some("DOWNLOAD_REJECTED");
    }
    if node.link.as_deref().is_some_and(calls_or_writes) {
        return Some("EXTERNAL_COMMIT_TARGET");
    }
    // Older scenario files know some elements by another name.
    let names = [Some(&node.name), node.seed.as_ref().map(|seed| &seed.name)];
    names
        .into_iter()
        .flatten()
        .find_map(|name| refused_name(name))
}

/// Whether the form that it belongs to is sent out of the app.
fn leads_out(node: &Node, boundary: &Boundary) -> bool {
    let sign = commit_sign(node, boundary);
    matches!(
        sign,
        Some(CommitSign::ForeignForm | CommitSign::ExternalScheme)
    )
}

/// Whether an address is that of a person's telephone or mailbox.
fn calls_or_writes(address: &str) -> bool {
    let scheme = address.trim_start().split(':').next().unwrap_or_default();
    ["tel", "sms", "mailto"].contains(&scheme.to_ascii_lowercase().as_str())
}

fn refused_name(name: &str) -> Option<&'static str> {
    let name = format!(" {} ", words_of(name));
    let class = CLASSES.iter().find(|class| {
        class.words.iter().any(|word| {
            if word.is_ascii() {
                name.contains(&format!(" {word} "))
            } else {
                name.contains(word)
            }
        })
    });
    class.map(|class| class.code)
}

/// A name in lower case, its words apart by single spaces.
fn words_of(name: &str) -> String {
    let plain = plain(name);
    let words = plain.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Completeness, ElementKey, Flags, NodeRef, Platform, SeedPair, Target};

    fn target() -> Target {
        Target {
            node_ref: NodeRef::default(),
            key: ElementKey("id:a".into()),
        }
    }

    /// Why an action on the last of some nodes is refused.
    fn refusal(action: &Action, nodes: &[Node]) -> Option<&'static str> {
        let view = Observation {
            platform: Platform::Web,
            front: None,
            url: None,
            title: String::new(),
            viewport: (100.0, 100.0),
            nodes: nodes.to_vec(),
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        };
        replay_refusal(action, &view, nodes.len() - 1, &boundary())
    }

    fn boundary() -> Boundary {
        Boundary::new(Platform::Web, vec!["https://shop.test".into()])
    }

    fn tapped(name: &str) -> Option<&'static str> {
        let node = Node {
            name: name.into(),
            ..Node::default()
        };
        refusal(&Action::Tap { target: target() }, &[node])
    }

    // VIEW-020, VIEW-021
    #[test]
    fn words_are_met_as_whole_words() {
        assert_eq!(tapped("Delete"), Some("DESTRUCTIVE_TARGET"));
        assert_eq!(tapped("Close my account"), Some("DESTRUCTIVE_TARGET"));
        assert_eq!(tapped("PAY now"), Some("FINANCIAL_TARGET"));
        assert_eq!(tapped("Place  Order"), Some("FINANCIAL_TARGET"));
        assert_eq!(tapped("Post"), Some("EXTERNAL_COMMIT_TARGET"));
        assert_eq!(tapped("Reset password"), Some("SECURITY_TARGET"));
        assert_eq!(tapped("立即支付"), Some("FINANCIAL_TARGET"));
        for harmless in [
            "Posts",
            "Paypal settings",
            "Buyer",
            "Save",
            "Add to cart",
            "支持",
        ] {
            assert_eq!(tapped(harmless), None, "{harmless}");
        }
    }

    // VIEW-020, REP-012
    #[test]
    fn structure_and_secrets_are_looked_at() {
        let mut node = Node {
            link: Some("tel:+15550100".into()),
            ..Node::default()
        };
        let tap = Action::Tap { target: target() };
        let code = refusal(&tap, std::slice::from_ref(&node));
        assert_eq!(code, Some("EXTERNAL_COMMIT_TARGET"));
        node.link = None;
        node.flags = Flags {
            secret: true,
            ..Flags::default()
        };
        let (target, text) = (target(), "x".to_owned());
        let entries = [
            Action::Fill {
                target: target.clone(),
                text: text.clone(),
            },
            Action::Type {
                target: target.clone(),
                text,
            },
        ];
        for entry in entries {
            let code = refusal(&entry, std::slice::from_ref(&node));
            assert_eq!(code, Some("CREDENTIAL_ENTRY_REJECTED"));
        }
        assert_eq!(refusal(&tap, std::slice::from_ref(&node)), None);
    }

    // REP-012, VIEW-011
    #[test]
    fn the_name_that_older_files_know_is_looked_at_too() {
        let node = Node {
            name: "×".into(),
            seed: Some(SeedPair {
                role: "button".into(),
                name: "Delete account".into(),
            }),
            ..Node::default()
        };
        let tap = Action::Tap { target: target() };
        let code = refusal(&tap, std::slice::from_ref(&node));
        assert_eq!(code, Some("DESTRUCTIVE_TARGET"));
    }

    // REP-012, VIEW-022
    #[test]
    fn a_form_that_leads_out_of_the_app_is_not_sent() {
        let press = |key: &str| Action::Press {
            target: Some(target()),
            key: key.into(),
        };
        let tap = Action::Tap { target: target() };
        for (address, code) in [
            ("https://shop.test/order", None),
            ("https://other.test/", Some("EXTERNAL_COMMIT_TARGET")),
            ("MailTo:a@shop.test", Some("EXTERNAL_COMMIT_TARGET")),
            ("whatsapp://send", Some("EXTERNAL_COMMIT_TARGET")),
        ] {
            let mut button = Node {
                form_action: Some(address.into()),
                ..Node::default()
            };
            let mut field = button.clone();
            button.flags.submit = true;
            field.flags.editable = true;
            let refused =
                |action: &Action, node: &Node| refusal(action, std::slice::from_ref(node));
            for action in [&tap, &press("Enter"), &press("Space")] {
                assert_eq!(refused(action, &button), code, "{address}");
            }
            assert_eq!(refused(&press("Enter"), &field), code, "{address}");
            assert_eq!(refused(&press("Space"), &field), None, "{address}");
            assert_eq!(refused(&tap, &field), None, "{address}");
        }
    }

    // VIEW-020, REP-012
    #[test]
    fn what_a_press_activates_is_looked_at() {
        let tap = Action::Tap { target: target() };
        let link = |name: &str, address: &str| Node {
            role: "link".into(),
            name: name.into(),
            link: Some(address.into()),
            ..Node::default()
        };
        let inside = |role: &str| Node {
            role: role.into(),
            name: "cart".into(),
            parent: Some(0),
            ..Node::default()
        };
        let pays = link("Checkout", "https://shop.test/checkout");
        for (around, code) in [
            (&pays, Some("FINANCIAL_TARGET")),
            (
                &link("Call", "tel:+15550100"),
                Some("EXTERNAL_COMMIT_TARGET"),
            ),
            (&link("Basket", "https://shop.test/basket"), None),
        ] {
            assert_eq!(refusal(&tap, &[around.clone(), inside("image")]), code);
        }
        // A control inside of it does something else.
        assert_eq!(refusal(&tap, &[pays, inside("button")]), None);
        let mut file = link("Price list", "https://shop.test/prices.pdf");
        file.flags.download = true;
        assert_eq!(refusal(&tap, &[file]), Some("DOWNLOAD_REJECTED"));
    }

    // VIEW-020, REP-012
    #[test]
    fn enter_in_a_field_and_an_option_are_looked_at() {
        let button = |form, name: &str| {
            let mut button = Node {
                name: name.into(),
                form: Some(form),
                ..Node::default()
            };
            button.flags.submit = true;
            button
        };
        let mut field = Node {
            form: Some(1),
            ..Node::default()
        };
        field.flags.editable = true;
        let press = |key: &str| Action::Press {
            target: Some(target()),
            key: key.into(),
        };
        for (key, form, code) in [
            ("Enter", 1, Some("FINANCIAL_TARGET")),
            ("Enter", 2, None),
            (" ", 1, None),
        ] {
            let nodes = [button(form, "Pay now"), field.clone()];
            assert_eq!(refusal(&press(key), &nodes), code, "{key} {form}");
        }
        for (option, code) in [
            ("Delete account", Some("DESTRUCTIVE_TARGET")),
            ("Red", None),
        ] {
            let choose = Action::Select {
                target: target(),
                option: option.into(),
            };
            assert_eq!(refusal(&choose, &[Node::default()]), code);
        }
    }
}
