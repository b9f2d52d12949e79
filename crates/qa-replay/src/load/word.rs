//! The names that the format gives to its fields, all of them.

/// In order.
const FIELDS: [&str; 54] = [
    "action",
    "adaptiveBudgetMs",
    "advisory",
    "amount",
    "assert",
    "assertions",
    "budgetMs",
    "code",
    "confidence",
    "contains",
    "createdAt",
    "description",
    "deviceId",
    "direction",
    "driver",
    "escalationRefused",
    "expected",
    "identifier",
    "index",
    "intent",
    "intervalMs",
    "key",
    "kind",
    "launch",
    "loginState",
    "meta",
    "model",
    "modifiers",
    "name",
    "notes",
    "option",
    "origins",
    "path",
    "postChangeQuietMs",
    "provenance",
    "provider",
    "question",
    "quietMs",
    "reason",
    "role",
    "roleHint",
    "schemaVersion",
    "scope",
    "settle",
    "source",
    "steps",
    "tag",
    "target",
    "targetDescription",
    "text",
    "toDescription",
    "url",
    "value",
    "windowTitle",
];

/// Whether the format has such a field anywhere. Any other name is the file's own, and never told
/// (REP-093).
pub(super) fn is_field(name: &str) -> bool {
    FIELDS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{FIELDS, is_field};

    #[test]
    fn names_are_found() {
        assert!(FIELDS.is_sorted());
        assert!(FIELDS.iter().all(|name| is_field(name)));
        assert!(!is_field("Ann"));
    }
}
