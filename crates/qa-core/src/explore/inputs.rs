//! What may be typed into which field.

use super::values::{self, Draw};
use crate::{Field, GivenInput, Inputs, Node};

/// Whether a made-up value may be typed into a field: it can be edited, and does not look like
/// one for a payment, an identity, a password or a one-time code, by kind, autocomplete word,
/// form name, label or identifier, in English or Chinese (WEB-062).
#[must_use]
pub fn fillable(node: &Node) -> bool {
    const KINDS: [&str; 9] = [
        "password", "hidden", "file", "submit", "button", "reset", "image", "checkbox", "radio",
    ];
    let field = node.field.as_deref();
    let kind = field.map_or("", |field| field.kind.as_str());
    let takes_text = node.flags.editable || values::is_picked(kind);
    takes_text
        && !node.flags.secret
        && node.states.disabled != Some(true)
        && node.states.readonly != Some(true)
        && kind != "select"
        && !KINDS.contains(&kind)
        && !field
            .and_then(|field| field.autocomplete.as_deref())
            .is_some_and(is_private_autocomplete)
        && !names(node).any(is_private)
}

/// The value to type into a field, or `None` where it is left alone: the owner's, else a made-up
/// one. An owner's value is never typed into a secret field.
#[must_use]
pub fn input_value(node: &Node, inputs: &Inputs, seed: u64, visit: u32) -> Option<String> {
    match inputs {
        Inputs::None => None,
        Inputs::Synthetic => synthetic_value(node, seed, visit),
        Inputs::Given(given) => {
            let usable = node.flags.editable
                && !node.flags.secret
                && node.states.disabled != Some(true)
                && node.states.readonly != Some(true);
            given
                .iter()
                .find(|given| usable && is_meant(given, node))
                .map(|given| given.value.clone())
                .or_else(|| synthetic_value(node, seed, visit))
        }
    }
}

/// A made-up value that fits a field, fit to be published; `None` where the field is left alone.
/// Equal seeds give equal values. The first visit gets a valid value, later ones go through the
/// boundary values: empty, as long as allowed, emoji, right to left, quotes and angle brackets.
#[must_use]
pub fn synthetic_value(node: &Node, seed: u64, visit: u32) -> Option<String> {
    if !fillable(node) {
        return None;
    }
    let empty = Field::default();
    let field = node.field.as_deref().unwrap_or(&empty);
    let mut draw = Draw::new(seed, names(node));
    let value = match visit.checked_sub(1) {
        None => values::valid(field, &meaning(node), &mut draw)?,
        Some(boundary) => values::boundary(field, boundary, &mut draw)?,
    };
    Some(values::fit(value, field))
}

/// All texts that say what a field is for, in lower case, joined.
fn meaning(node: &Node) -> String {
    let texts: Vec<_> = names(node).map(crate::plain).collect();
    format!(" {} ", texts.join(" | "))
}

fn names(node: &Node) -> impl Iterator<Item = &str> {
    let field = node.field.as_deref();
    [
        field.and_then(|field| field.autocomplete.as_deref()),
        field.and_then(|field| field.form_name.as_deref()),
        field.and_then(|field| field.label.as_deref()),
        Some(node.name.as_str()),
        field.and_then(|field| field.placeholder.as_deref()),
        node.id.as_deref(),
        node.test_id.as_deref(),
    ]
    .into_iter()
    .flatten()
    .filter(|text| !text.trim().is_empty())
}

/// WEB-061: by label, form name, DOM id or test id, without case.
fn is_meant(given: &GivenInput, node: &Node) -> bool {
    let wanted = crate::plain(&given.field);
    !wanted.is_empty() && names(node).any(|name| crate::plain(name) == wanted)
}

fn is_private_autocomplete(words: &str) -> bool {
    words.split_ascii_whitespace().any(|word| {
        word.starts_with("cc-")
            || matches!(
                word,
                "current-password"
                    | "new-password"
                    | "one-time-code"
                    | "bday"
                    | "bday-day"
                    | "bday-month"
                    | "bday-year"
                    | "transaction-amount"
                    | "webauthn"
            )
    })
}

/// Whether a name says that a field asks for what must not be made up.
fn is_private(name: &str) -> bool {
    /// Anywhere in the name, separators removed.
    const PARTS: [&str; 42] = [
        "password",
        "passwd",
        "passcode",
        "passphrase",
        "creditcard",
        "cardnumber",
        "cardno",
        "ccnumber",
        "cvv",
        "cvc",
        "securitycode",
        "iban",
        "accountnumber",
        "routingnumber",
        "sortcode",
        "onetimecode",
        "verificationcode",
        "authcode",
        "passport",
        "socialsecurity",
        "driverslicen",
        "drivinglicen",
        "nationalid",
        "identitynumber",
        "idnumber",
        "taxid",
        "secretkey",
        "apikey",
        "accesstoken",
        "privatekey",
        "密码",
        "口令",
        "验证码",
        "校验码",
        "动态码",
        "银行卡",
        "信用卡",
        "卡号",
        "身份证",
        "护照",
        "安全码",
        "社保",
    ];
    /// As words of their own.
    const WORDS: [&str; 12] = [
        "pin", "otp", "totp", "2fa", "mfa", "ssn", "pwd", "token", "secret", "bic", "swift",
        "captcha",
    ];
    let words = crate::safety::words(name);
    let joined = words.concat();
    PARTS.iter().any(|part| joined.contains(part))
        || words.iter().any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Flags, States};

    fn field(kind: &str, name: &str) -> Node {
        Node {
            role: "textbox".into(),
            name: name.into(),
            flags: Flags {
                editable: true,
                visible: true,
                ..Flags::default()
            },
            field: Some(Box::new(Field {
                kind: kind.into(),
                ..Field::default()
            })),
            ..Node::default()
        }
    }

    fn with(kind: &str, name: &str, change: impl FnOnce(&mut Field)) -> Node {
        let mut node = field(kind, name);
        if let Some(field) = &mut node.field {
            change(field);
        }
        node
    }

    fn value(node: &Node) -> String {
        synthetic_value(node, 1, 0).unwrap()
    }

    // WEB-062
    #[test]
    fn fields_for_secrets_and_payments_are_left_alone() {
        for name in [
            "Password",
            "Card number",
            "CVV",
            "cardNumber",
            "PIN",
            "One-time code",
            "OTP",
            "Verification code",
            "IBAN",
            "Passport no",
            "SSN",
            "密码",
            "请输入验证码",
            "银行卡号",
            "身份证号码",
            "API key",
            "P\u{200b}assword",
        ] {
            assert!(!fillable(&field("text", name)), "{name}");
            assert!(!fillable(
                &with("text", "", |field| field.placeholder = Some(name.into()))
            ));
            assert!(!fillable(
                &with("text", "", |field| field.label = Some(name.into()))
            ));
        }
        for word in [
            "cc-number",
            "section-x current-password",
            "one-time-code",
            "new-password",
        ] {
            let node = with("text", "x", |field| field.autocomplete = Some(word.into()));
            assert!(!fillable(&node), "{word}");
        }
        assert!(!fillable(&field("password", "")));
        for name in [
            "Name",
            "Shipping address",
            "Opinion",
            "Spinning wheel",
            "Cc",
            "姓名",
        ] {
            assert!(fillable(&field("text", name)), "{name}");
        }
    }

    #[test]
    fn fields_that_cannot_be_edited_are_left_alone() {
        let mut node = field("text", "Name");
        node.states = States {
            readonly: Some(true),
            ..States::default()
        };
        assert!(!fillable(&node));
        node.states = States {
            disabled: Some(true),
            ..States::default()
        };
        assert!(!fillable(&node));
        node = field("text", "Name");
        node.flags.secret = true;
        assert!(!fillable(&node));
        assert!(!fillable(&with("checkbox", "Name", |_| ())));
        // A slider or a date takes no typed text, but a value.
        node = field("range", "Volume");
        node.flags.editable = false;
        assert!(fillable(&node));
    }

    // WEB-061
    #[test]
    fn values_fit_what_a_field_means() {
        assert!(value(&field("email", "")).ends_with("@example.com"));
        assert!(value(&field("text", "Your e-mail")).ends_with("@example.com"));
        assert!(value(&field("text", "邮箱")).ends_with("@example.com"));
        assert!(value(&field("tel", "")).contains("555-01"));
        assert!(value(&field("url", "")).starts_with("https://example.com/"));
        assert_eq!(value(&field("date", "")), "2030-06-15");
        assert_eq!(value(&field("time", "")), "10:30");
        assert_eq!(value(&field("month", "")), "2030-06");
        assert_eq!(value(&field("week", "")), "2030-W24");
        assert!(value(&field("color", "")).starts_with('#'));
        assert!(value(&field("text", "ZIP code")).parse::<u32>().is_ok());
        assert!(value(&field("text", "Street")).ends_with("Street"));
        let code = with("text", "Code", |field| {
            field.pattern = Some("[A-Z]{3}-[0-9]{2}".into());
        });
        assert_eq!(value(&code).len(), 6);
        let odd = with("text", "Code", |field| {
            field.pattern = Some("(?=x)y".into());
        });
        assert_eq!(synthetic_value(&odd, 1, 0), None);
    }

    // WEB-061
    #[test]
    fn later_visits_try_the_edges() {
        let node = field("text", "Comment");
        let values: Vec<_> = (1..6)
            .map(|visit| synthetic_value(&node, 1, visit).unwrap())
            .collect();
        assert_eq!(values[0], "");
        assert!(values[1].len() >= 1_000);
        assert!(values[2].contains('🙂'));
        assert!(values[3].contains('ש'));
        assert!(values[4].contains('<') && values[4].contains('"'));
        let short = with("text", "x", |field| field.max_length = Some(5));
        assert_eq!(synthetic_value(&short, 1, 2).unwrap(), "xxxxx");
        let number = with("number", "x", |field| {
            field.min = Some("2".into());
            field.max = Some("9".into());
        });
        assert_eq!(synthetic_value(&number, 1, 1).unwrap(), "2");
        assert_eq!(synthetic_value(&number, 1, 2).unwrap(), "9");
    }

    // WEB-061
    #[test]
    fn the_owners_values_come_first() {
        let given = Inputs::Given(vec![GivenInput {
            field: "voucher ".into(),
            value: "SPRING".into(),
        }]);
        let node = with("text", "", |field| field.form_name = Some("Voucher".into()));
        assert_eq!(input_value(&node, &given, 1, 0).as_deref(), Some("SPRING"));
        assert!(input_value(&field("email", "Mail"), &given, 1, 0).is_some());
        assert_eq!(input_value(&node, &Inputs::None, 1, 0), None);
        let mut secret = node;
        secret.flags.secret = true;
        assert_eq!(input_value(&secret, &given, 1, 0), None);
    }

    proptest! {
        // WEB-061, D-10
        #[test]
        fn equal_seeds_give_equal_values_within_the_length(
            kind in "(text|email|tel|url|search|textarea)",
            name in "(Name|City|Search|Company|x)",
            most in 0..40usize,
            seed in any::<u64>(),
            visit in 0..7u32,
        ) {
            let node = with(&kind, &name, |field| field.max_length = Some(most));
            let value = synthetic_value(&node, seed, visit);
            prop_assert_eq!(&value, &synthetic_value(&node, seed, visit));
            prop_assert!(value.unwrap().encode_utf16().count() <= most);
        }

        // WEB-061
        #[test]
        fn numbers_lie_within_their_bounds(
            min in -50..50i32, span in 0..60i32, step in 1..7i32, seed in any::<u64>(),
            has_min in any::<bool>(), has_max in any::<bool>(),
        ) {
            let node = with("number", "Quantity", |field| {
                field.min = has_min.then(|| min.to_string());
                field.max = has_max.then(|| (min + span).to_string());
                field.step = Some(step.to_string());
            });
            let number: i32 = synthetic_value(&node, seed, 0).unwrap().parse().unwrap();
            prop_assert!(!has_min || number >= min, "{} < {}", number, min);
            prop_assert!(!has_max || number <= min + span, "{} > {}", number, min + span);
            prop_assert!(!has_min || (number - min) % step == 0);
        }
    }
}
