//! Seeded changes of the shop: what each one does to which element.

use std::collections::BTreeMap;

use qa_web_apps::{Broken, Change};
use serde_json::{Value, json};

use super::super::random::Random;
use super::part::{Element, Part, Touch};
use super::suite::Sound;

/// What a mutation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    /// An element has other words.
    TextChanged,
    /// A press does nothing.
    HandlerRemoved,
    /// An element is there and cannot be seen.
    Hidden,
    /// An element is gone.
    Removed,
    /// A second element has the same role and name.
    TwinAdded,
    /// The app writes another value than it was given.
    WrongValue,
    /// An element has another role.
    RoleChanged,
    /// An element has another accessible name.
    NameChanged,
    /// Lists are the other way round.
    ListReordered,
    /// A call of the app's interface fails.
    RequestFailing,
    /// A press leads elsewhere.
    WrongPage,
    /// A press has its outcome late, within the time that a claim is given.
    DelayedWithin,
    /// Later than that.
    DelayedBeyond,
    /// What a call brings is shown late, while the address changes at once.
    SlowContent,
    /// The outcome goes away again.
    Flicker,
    /// What should have gone is still there.
    Leftover,
    /// An element is moved out of the viewport.
    OutOfView,
    /// An element is moved out of its container.
    OutOfContainer,
    /// Nothing that a scenario is about.
    Harmless,
}

/// How many mutations of each class are made of 100.
const SHARES: [(Class, usize); 19] = [
    (Class::TextChanged, 8),
    (Class::HandlerRemoved, 7),
    (Class::Hidden, 7),
    (Class::Removed, 6),
    (Class::TwinAdded, 6),
    (Class::WrongValue, 5),
    (Class::RoleChanged, 4),
    (Class::NameChanged, 5),
    (Class::ListReordered, 2),
    (Class::RequestFailing, 6),
    (Class::WrongPage, 5),
    (Class::DelayedWithin, 9),
    (Class::DelayedBeyond, 5),
    (Class::SlowContent, 3),
    (Class::Flicker, 5),
    (Class::Leftover, 4),
    (Class::OutOfView, 2),
    (Class::OutOfContainer, 2),
    (Class::Harmless, 9),
];

impl Class {
    /// The words that the table uses.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::TextChanged => "text changed",
            Self::HandlerRemoved => "handler removed",
            Self::Hidden => "element hidden",
            Self::Removed => "element removed",
            Self::TwinAdded => "twin added",
            Self::WrongValue => "wrong value",
            Self::RoleChanged => "role changed",
            Self::NameChanged => "name changed",
            Self::ListReordered => "list reordered",
            Self::RequestFailing => "request failing",
            Self::WrongPage => "another page",
            Self::DelayedWithin => "delayed within budget",
            Self::DelayedBeyond => "delayed beyond budget",
            Self::SlowContent => "content late, address at once",
            Self::Flicker => "outcome flickers away",
            Self::Leftover => "left over",
            Self::OutOfView => "out of the viewport",
            Self::OutOfContainer => "out of its container",
            Self::Harmless => "harmless",
        }
    }
}

/// One change of the shop.
#[derive(Debug, Clone)]
pub(super) struct Mutation {
    /// Its number, from 1.
    pub(super) number: usize,
    /// What it does.
    pub(super) class: Class,
    /// To which element; none where it is about the whole page.
    pub(super) element: Option<Element>,
    /// What the script in the page is told.
    pub(super) plan: Value,
    /// Calls that fail.
    pub(super) broken: BTreeMap<String, Broken>,
}

impl Mutation {
    /// Nothing is changed: only the witness is there.
    pub(super) fn none() -> Self {
        Self {
            number: 0,
            class: Class::Harmless,
            element: None,
            plan: json!({"kind": "none"}),
            broken: BTreeMap::new(),
        }
    }

    /// What the server is told.
    pub(super) fn change(&self) -> Change {
        // A `<` could end the script.
        let plan = self.plan.to_string().replace('<', "\\u003c");
        Change {
            script: format!("({})({plan})", include_str!("page.js")),
            broken: self.broken.clone(),
        }
    }
}

/// So many mutations of elements that the suite touches.
pub(super) fn mutations(suite: &[Sound], count: usize, seed: u64) -> Vec<Mutation> {
    let mut random = Random::new(seed);
    let hundred: Vec<Class> = SHARES
        .iter()
        .flat_map(|(class, share)| std::iter::repeat_n(*class, *share))
        .collect();
    let mut made = Vec::new();
    let mut order = Vec::new();
    // A class that the suite has no element for is passed over.
    for _ in 0..count * 4 {
        if made.len() == count {
            break;
        }
        if order.is_empty() {
            order.clone_from(&hundred);
            random.shuffle(&mut order);
        }
        let Some(class) = order.pop() else { break };
        if let Some(mutation) = make(class, suite, made.len() + 1, &mut random) {
            made.push(mutation);
        }
    }
    made
}

/// Roles whose element is named by words of its own, so that other words are another name.
const WORDED: [&str; 8] = [
    "link",
    "button",
    "heading",
    "status",
    "text",
    "tab",
    "paragraph",
    "listitem",
];
/// Roles that take a name from an attribute.
const NAMEABLE: [&str; 12] = [
    "link",
    "button",
    "heading",
    "tab",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "switch",
    "spinbutton",
    "status",
];

fn make(class: Class, suite: &[Sound], number: usize, random: &mut Random) -> Option<Mutation> {
    let parts = || suite.iter().flat_map(|sound| &sound.parts);
    let choose = |random: &mut Random, is_fit: &dyn Fn(&Part) -> bool| {
        let fit: Vec<&Part> = parts().filter(|part| is_fit(part)).collect();
        random.one(&fit).map(|part| (*part).clone())
    };
    let claimed = |part: &Part| {
        matches!(
            part.touch,
            Touch::Present | Touch::Value(_) | Touch::InViewport
        )
    };
    let activated = |part: &Part| part.touch == Touch::Activated;
    let positive = |part: &Part| part.touch != Touch::Absent;
    let role_in = |part: &Part, roles: &[&str]| roles.contains(&part.element.role.as_str());
    let mut broken = BTreeMap::new();
    let (part, plan) = match class {
        Class::TextChanged => {
            let part = choose(random, &|part| positive(part) && role_in(part, &WORDED))?;
            let to = other_words(&part.element.name, random);
            (Some(part), json!({"kind": "text", "to": to}))
        }
        Class::HandlerRemoved => (choose(random, &activated), json!({"kind": "dead"})),
        Class::Hidden => {
            let how = random.one(&["display", "visibility", "size"])?;
            let part = choose(random, &positive)?;
            (Some(part), json!({"kind": "hide", "how": how}))
        }
        Class::Removed => (choose(random, &positive), json!({"kind": "remove"})),
        Class::TwinAdded => (choose(random, &positive), json!({"kind": "twin"})),
        Class::WrongValue => wrong_value(random, &choose)?,
        Class::RoleChanged => {
            let part = choose(random, &|part| {
                positive(part) && part.element.role != "text"
            })?;
            // Never `presentation`: what can have the focus keeps its role.
            let to = random.one(&["note", "img", "figure"])?;
            (Some(part), json!({"kind": "role", "to": to}))
        }
        Class::NameChanged => {
            let part = choose(random, &|part| positive(part) && role_in(part, &NAMEABLE))?;
            let to = other_words(&part.element.name, random);
            (Some(part), json!({"kind": "name", "to": to}))
        }
        Class::ListReordered => (None, json!({"kind": "reorder"})),
        Class::RequestFailing => {
            let calls: Vec<&String> = suite.iter().flat_map(|sound| &sound.calls).collect();
            let how = [500, 503, 404, 429].map(Broken::Status);
            let how = random
                .one(&[&how[..], &[Broken::Silent]].concat())
                .copied()?;
            broken.insert((*random.one(&calls)?).clone(), how);
            (None, json!({"kind": "none"}))
        }
        Class::WrongPage => {
            let to = random.one(&["/documents/about.html", "/documents/terms.html", "/no/such"])?;
            (
                choose(random, &activated),
                json!({"kind": "elsewhere", "to": to}),
            )
        }
        Class::DelayedWithin => {
            let ms = 60 + random.below(1_900);
            (
                choose(random, &activated),
                json!({"kind": "late", "ms": ms}),
            )
        }
        Class::DelayedBeyond => {
            let ms = 8_500 + random.below(4_000);
            (
                choose(random, &activated),
                json!({"kind": "late", "ms": ms}),
            )
        }
        Class::SlowContent => {
            let ms = 100 + random.below(700);
            (None, json!({"kind": "slow", "ms": ms}))
        }
        Class::Flicker => {
            let ms = [20, 60, 120, 180, 240, 400, 900][random.below(7)];
            let fit = |part: &Part| claimed(part) && !matches!(part.touch, Touch::Value(_));
            (choose(random, &fit), json!({"kind": "flicker", "ms": ms}))
        }
        Class::Leftover => {
            let part = choose(random, &|part| part.touch == Touch::Absent)?;
            let place = random.one(&["page", "open", "closed", "frame", "hidden"])?;
            let inside = part.scope.as_ref().map(plain);
            (
                Some(part),
                json!({"kind": "leftover", "where": place, "inside": inside}),
            )
        }
        Class::OutOfView => {
            let part = choose(random, &|part| part.touch == Touch::InViewport)?;
            (Some(part), json!({"kind": "push"}))
        }
        Class::OutOfContainer => {
            let part = choose(random, &|part| claimed(part) && part.scope.is_some())?;
            (Some(part), json!({"kind": "move"}))
        }
        Class::Harmless => (None, harmless(random)?),
    };
    let element = part.map(|part| part.element);
    let needs_element = !matches!(
        class,
        Class::ListReordered | Class::RequestFailing | Class::SlowContent | Class::Harmless
    );
    if needs_element && element.is_none() {
        return None;
    }
    let mut plan = plan;
    if let Some(element) = &element {
        plan["role"] = json!(element.role);
        plan["name"] = json!(element.name);
    }
    Some(Mutation {
        number,
        class,
        element,
        plan,
        broken,
    })
}

fn plain(element: &Element) -> Value {
    json!({"role": element.role, "name": element.name})
}

type Choose<'c> = dyn Fn(&mut Random, &dyn Fn(&Part) -> bool) -> Option<Part> + 'c;

/// Another value in a field, or another number in what the app says.
fn wrong_value(random: &mut Random, choose: &Choose<'_>) -> Option<(Option<Part>, Value)> {
    let has_number = |part: &Part| {
        part.touch == Touch::Present
            && WORDED.contains(&part.element.role.as_str())
            && part.element.name.contains(|c: char| c.is_ascii_digit())
    };
    let field = choose(random, &|part| matches!(part.touch, Touch::Value(_)));
    let said = choose(random, &has_number);
    let is_field = said.is_none() || random.below(2) == 0;
    match field {
        Some(part) if is_field => {
            let Touch::Value(value) = &part.touch else {
                return None;
            };
            let ms = [0, 30, 250][random.below(3)];
            let plan = json!({"kind": "wrong", "to": other_words(value, random), "ms": ms});
            Some((Some(part), plan))
        }
        _ => {
            let part = said?;
            let to: String = part
                .element
                .name
                .chars()
                .map(|c| match c.to_digit(10) {
                    Some(digit) => char::from_digit((digit + 1) % 10, 10).unwrap_or(c),
                    None => c,
                })
                .collect();
            Some((Some(part), json!({"kind": "text", "to": to})))
        }
    }
}

/// Words that are not these, often nearly the same.
fn other_words(words: &str, random: &mut Random) -> String {
    let last = words.chars().next_back();
    let most = last.map_or("", |last| &words[..words.len() - last.len_utf8()]);
    let swapped: String = words
        .chars()
        .map(|c| {
            if c.is_uppercase() {
                c.to_lowercase().next().unwrap_or(c)
            } else {
                c.to_uppercase().next().unwrap_or(c)
            }
        })
        .collect();
    let other = match random.below(6) {
        0 => "Something else altogether".to_owned(),
        1 => format!("{words}s"),
        2 => format!("Not {words}"),
        3 if !most.trim().is_empty() => most.to_owned(),
        4 => swapped,
        _ => format!("{most}{}", if last == Some('x') { 'y' } else { 'x' }),
    };
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if squeezed(&other) == squeezed(words) {
        format!("{words} no more")
    } else {
        other
    }
}

/// A change that no scenario is about.
fn harmless(random: &mut Random) -> Option<Value> {
    let salt = random.below(10_000);
    let css = random.one(&[
        "*{letter-spacing:.02em;color:#224!important;background-color:#fffdf8}",
        "#main{margin-top:30px;margin-left:12px}header{padding:9px}",
        "button,a{border-radius:0!important;border:2px dotted teal!important}",
        "body{font-family:serif;font-size:15px}ul{gap:3px}",
        "footer{margin-top:60px;text-transform:uppercase}",
    ])?;
    let text = random.one(&[
        "Now with more wool.",
        "Open on Sundays",
        "Version 2026.11.30",
        "We moved to number 7.",
    ])?;
    let kind = random.one(&["style", "style", "classes", "ids", "wrap", "words"])?;
    Some(json!({"kind": kind, "salt": salt, "css": css, "text": text}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_are_never_the_same() {
        let mut random = Random::new(3);
        for words in ["", " ", "x", "Cart (1)", "3 things found", "€", "12"] {
            for _ in 0..50 {
                let other = other_words(words, &mut random);
                assert_ne!(other.trim(), words.trim(), "{words:?}");
            }
        }
    }

    #[test]
    fn the_shares_are_a_hundred() {
        let sum: usize = SHARES.iter().map(|(_, share)| share).sum();
        assert_eq!(sum, 100);
    }
}
