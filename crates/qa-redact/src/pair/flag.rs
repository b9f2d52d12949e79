//! Passwords on a command line.

use memchr::memmem;

use super::{MAX_KEY, closing_quote, push, token_end};
use crate::key::{Verdict, verdict};
use crate::span::{Mark, Span};

/// Programs and the short flags behind which they take a password (RED-046).
const CLIENTS: &[(&str, &[&str])] = &[
    ("mysql", &["-p"]),
    ("mariadb", &["-p"]),
    ("sshpass", &["-p"]),
    ("mongo", &["-p"]),
    ("redis-cli", &["-a"]),
    ("docker login", &["-p"]),
    ("podman login", &["-p"]),
    ("curl", &["-u", "-U"]),
    ("ldap", &["-w"]),
    ("smbclient", &["-U"]),
    ("htpasswd", &["-b"]),
];
/// So far behind its program a flag is looked for, in bytes.
const MAX_COMMAND: usize = 512;

/// `--password x`.
pub(super) fn find(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for at in memmem::find_iter(bytes, b"--") {
        if at < done {
            continue;
        }
        if at > 0 && !matches!(bytes[at - 1], b' ' | b'\n' | b'"' | b'\'' | b'`') {
            continue;
        }
        let name = at + 2;
        let length = bytes[name..]
            .iter()
            .take(MAX_KEY)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
            .count();
        let value = name + length + 1;
        if length == 0
            || bytes.get(name + length) != Some(&b' ')
            || value >= bytes.len()
            || bytes[value] == b'-'
        {
            continue;
        }
        if matches!(
            verdict(&text[name..name + length]),
            Verdict::Sensitive | Verdict::Header
        ) {
            let quote = bytes[value];
            let (start, end) = match quote {
                b'"' | b'\'' => (value + 1, closing_quote(bytes, value + 1, quote, 0)),
                _ => (value, token_end(text, value)),
            };
            done = end;
            push(text, spans, start, end, Mark::Value);
        }
    }
}

/// `-p x` and `-px` behind the name of a program that takes its password so.
pub(super) fn find_short(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    for (client, flags) in CLIENTS {
        let mut done = 0;
        for at in memmem::find_iter(bytes, client.as_bytes()) {
            if at < done {
                continue;
            }
            let start = at + client.len();
            let window = &bytes[start..bytes.len().min(start + MAX_COMMAND)];
            let end = window
                .iter()
                .position(|b| matches!(b, b'\n' | b'|' | b';'))
                .map_or(start + window.len(), |end| start + end);
            done = end;
            for flag in *flags {
                for found in memmem::find_iter(&bytes[start..end], flag.as_bytes()) {
                    let flag_end = start + found + flag.len();
                    let is_flag = bytes[start + found - 1..].starts_with(b" ");
                    if !is_flag || bytes.get(flag_end).is_none_or(|b| *b == b'\n') {
                        continue;
                    }
                    let value = flag_end + usize::from(bytes[flag_end] == b' ');
                    let (from, to) = match bytes.get(value) {
                        Some(quote @ (b'"' | b'\'')) => {
                            (value + 1, closing_quote(bytes, value + 1, *quote, 0))
                        }
                        Some(b'-') | None => continue,
                        Some(_) => (value, token_end(text, value)),
                    };
                    push(text, spans, from, to, Mark::Value);
                }
            }
        }
    }
}
