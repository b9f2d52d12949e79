//! What a replay refuses to do, by the words of the live element (VIEW-020 to VIEW-022).
//!
//! These are the classes of older replay drivers, with their codes, so that a scenario is refused
//! here exactly where it was refused there. The wider [`Blocklist`](crate::Blocklist) steers
//! exploring only.

use super::text::plain;
use super::{Boundary, CommitSign, commit_sign};
use crate::{Action, Node};

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

/// Why an action on a live element is refused, if it is: a stable code. The boundary says which
/// forms lead out of the app.
#[must_use]
pub fn replay_refusal(action: &Action, node: &Node, boundary: &Boundary) -> Option<&'static str> {
    if matches!(action, Action::Fill { .. } | Action::Type { .. }) {
        return node.flags.secret.then_some("CREDENTIAL_ENTRY_REJECTED");
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
    // Enter sends what a field belongs to; its own name says nothing of that.
    if !is_tap && node.flags.editable {
        return None;
    }
    let field = node.field.as_deref();
    if field.is_some_and(|field| field.kind == "file") {
        return Some("FILE_UPLOAD_REJECTED");
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
    let is_foreign = commit_sign(node, boundary) == Some(CommitSign::ForeignForm);
    is_foreign || node.form_action.as_deref().is_some_and(calls_or_writes)
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
    use crate::{ElementKey, Flags, NodeRef, Platform, SeedPair, Target};

    fn target() -> Target {
        Target {
            node_ref: NodeRef::default(),
            key: ElementKey("id:a".into()),
        }
    }

    fn boundary() -> Boundary {
        Boundary::new(Platform::Web, vec!["https://shop.test".into()])
    }

    fn tapped(name: &str) -> Option<&'static str> {
        let node = Node {
            name: name.into(),
            ..Node::default()
        };
        replay_refusal(&Action::Tap { target: target() }, &node, &boundary())
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
        let code = replay_refusal(&tap, &node, &boundary());
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
            let code = replay_refusal(&entry, &node, &boundary());
            assert_eq!(code, Some("CREDENTIAL_ENTRY_REJECTED"));
        }
        assert_eq!(replay_refusal(&tap, &node, &boundary()), None);
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
        let code = replay_refusal(&tap, &node, &boundary());
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
        ] {
            let mut button = Node {
                form_action: Some(address.into()),
                ..Node::default()
            };
            let mut field = button.clone();
            button.flags.submit = true;
            field.flags.editable = true;
            let refused = |action: &Action, node: &Node| replay_refusal(action, node, &boundary());
            for action in [&tap, &press("Enter"), &press("Space")] {
                assert_eq!(refused(action, &button), code, "{address}");
            }
            assert_eq!(refused(&press("Enter"), &field), code, "{address}");
            assert_eq!(refused(&press("Space"), &field), None, "{address}");
            assert_eq!(refused(&tap, &field), None, "{address}");
        }
    }
}
