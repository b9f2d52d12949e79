//! An element's identity across observations, as the state graph stores it.

use serde::{Deserialize, Serialize};

use super::{Node, Platform};

/// An element's identity across observations (`testid:add`, `role:button|Save`, …).
///
/// Two elements of one page may share a key; the first in document order stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ElementKey(pub String);

impl ElementKey {
    /// The key of a node: the first kind of name that exists for its platform (EXP-035, EXP-036,
    /// WEB-030).
    #[must_use]
    pub fn of(platform: Platform, node: &Node) -> Self {
        let text = match platform {
            Platform::Web => web_key(node),
            Platform::Android => android_key(node),
            Platform::Ios => ios_key(node),
        };
        Self(text)
    }

    /// Whether it names a place rather than an element; such a key is never exported (EXP-038).
    #[must_use]
    pub fn is_positional(&self) -> bool {
        ["css:", "class:", "bounds:"]
            .iter()
            .any(|prefix| self.0.starts_with(prefix))
    }
}

impl std::fmt::Display for ElementKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn web_key(node: &Node) -> String {
    if let Some(test_id) = present(node.test_id.as_deref()) {
        return format!("testid:{test_id}");
    }
    if let Some(id) = present(node.id.as_deref()).filter(|id| !is_generated_id(id)) {
        return format!("id:{id}");
    }
    if let Some(name) = present(Some(&node.name)) {
        return format!("role:{}|{}", node.role, mask_digits(name));
    }
    format!("css:{}", node.path.as_deref().unwrap_or(&node.class))
}

fn android_key(node: &Node) -> String {
    if let Some(id) = present(node.id.as_deref()) {
        return id.to_owned();
    }
    if let Some(text) = present(node.text.as_deref()) {
        return format!("text:{text}");
    }
    if let Some(description) = present(node.description.as_deref()) {
        return format!("label:{description}");
    }
    let bounds = node.bounds.unwrap_or_default();
    format!(
        "class:{}:[{:.0},{:.0}][{:.0},{:.0}]",
        node.class,
        bounds.x,
        bounds.y,
        bounds.x + bounds.width,
        bounds.y + bounds.height
    )
}

fn ios_key(node: &Node) -> String {
    if let Some(id) = present(node.id.as_deref()) {
        return id.to_owned();
    }
    if let Some(text) = present(node.text.as_deref()) {
        return format!("text:{text}");
    }
    if let Some(label) = present(node.description.as_deref()).or(present(Some(&node.name))) {
        return format!("label:{label}");
    }
    let bounds = node.bounds.unwrap_or_default();
    format!(
        "bounds:{:.0},{:.0},{:.0},{:.0}",
        bounds.x, bounds.y, bounds.width, bounds.height
    )
}

/// Trimmed text, if any is left (EXP-037).
fn present(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// Each run of digits becomes one `#`, so that a counter does not change an identity; so does a
/// random token, in which letters and digits take turns.
#[must_use]
pub fn mask_digits(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rest
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(length.max(first.len_utf8()));
        if is_random(word) {
            masked.push('#');
        } else {
            push_masked(word, &mut masked);
        }
        rest = after;
    }
    masked
}

/// Whether a word looks drawn by lot: at least three runs of digits among many letters. How long
/// the runs are does not matter: a counter that grows must not change an identity.
fn is_random(word: &str) -> bool {
    const LETTERS: usize = 8;
    const RUNS: usize = 3;
    let runs = word
        .split(|c: char| !c.is_numeric())
        .filter(|run| !run.is_empty());
    let letters = word.chars().filter(|c| !c.is_numeric());
    runs.count() >= RUNS && letters.count() >= LETTERS
}

fn push_masked(word: &str, masked: &mut String) {
    let mut in_digits = false;
    for character in word.chars() {
        let digit = character.is_numeric();
        if !digit {
            masked.push(character);
        } else if !in_digits {
            masked.push('#');
        }
        in_digits = digit;
    }
}

/// Whether a DOM id was made by a framework or a counter, and so will not be the same next time
/// (REP-123, WEB-030).
#[must_use]
pub fn is_generated_id(id: &str) -> bool {
    const FRAMEWORK: [&str; 10] = [
        "radix-",
        "ember",
        "mui-",
        "headlessui-",
        "react-aria",
        "reach-",
        "ext-gen",
        "cdk-",
        "mat-",
        "__next_",
    ];
    let trailing_digits = id.bytes().rev().take_while(u8::is_ascii_digit).count();
    let longest_hex = id
        .split(|c: char| !c.is_ascii_hexdigit())
        .filter(|run| run.bytes().any(|b| b.is_ascii_digit()))
        .map(str::len)
        .max()
        .unwrap_or(0);
    let framework = FRAMEWORK.iter().any(|prefix| {
        id.strip_prefix(prefix)
            .is_some_and(|rest| rest.bytes().any(|b| b.is_ascii_digit() || b == b':'))
    });
    id.contains(':') && id.starts_with(':')
        || id.starts_with('«')
        || trailing_digits >= 4
        || longest_hex >= 8
        || framework
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(node: &Node, expected: &str) {
        assert_eq!(ElementKey::of(Platform::Web, node).0, expected);
    }

    // WEB-030
    #[test]
    fn a_web_key_is_the_best_name_there_is() {
        let mut node = Node {
            role: "button".into(),
            name: "Add 3 items".into(),
            class: "button".into(),
            path: Some("main>button:nth-of-type(1)".into()),
            id: Some("add".into()),
            test_id: Some("add-test".into()),
            ..Node::default()
        };
        check(&node, "testid:add-test");
        node.test_id = None;
        check(&node, "id:add");
        node.id = Some(":r1:".into());
        check(&node, "role:button|Add # items");
        node.name = "  ".into();
        check(&node, "css:main>button:nth-of-type(1)");
    }

    // REP-123
    // WEB-030, RED-061
    #[test]
    fn digits_and_random_tokens_become_one_sign() {
        let check = |text: &str, masked: &str| assert_eq!(mask_digits(text), masked);
        check("Add 3 items", "Add # items");
        check("Seat 12A, row 7", "Seat #A, row #");
        check("page2of3 x86_64 v1.2.3", "page#of# x#_# v#.#.#");
        check("Key Zx8Kq2Lm9Pv4Rt7Wy1Bn now", "Key # now");
        check("ghp_a1B2c3D4e5F6g7H8i9", "ghp_#");
        check("第12页 🙂", "第#页 🙂");
    }

    #[test]
    fn framework_ids_are_generated_and_words_are_not() {
        for id in [
            ":r1:",
            "radix-:r3:",
            "ember123",
            "mui-42",
            "row-10234",
            "550e8400-e29b-41d4-a716-446655440000",
            "a1b2c3d4e5",
        ] {
            assert!(is_generated_id(id), "{id}");
        }
        for id in [
            "search",
            "step-2",
            "ember",
            "add-to-cart",
            "material",
            "deadbeefcafe",
        ] {
            assert!(!is_generated_id(id), "{id}");
        }
    }
}
