//! The command that does a run again.

use qa_redact::{MARKER, URL_MARKER};

use crate::Meta;

/// A command line for a POSIX shell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) line: String,
    /// A value in it is not stored.
    pub(super) redacted: bool,
}

/// The command that repeats a session, with the options that it keeps. None for a run that was not
/// started from the command line.
pub(super) fn command(meta: &Meta) -> Option<Command> {
    let (arguments, config) = (&meta.extra.arguments, &meta.extra.config);
    let mut line = match meta.name.as_str() {
        _ if !arguments.is_empty() => String::from("qa explore"),
        // The bundled apps have another address each time.
        "qa-demo-web" => String::from("qa demo --web"),
        "qa-demo-sim" => String::from("qa demo --sim"),
        _ => return None,
    };
    if arguments.is_empty() {
        option(&mut line, &format!("--seed={}", config.seed));
        option(&mut line, &format!("--max-steps={}", config.max_steps));
    }
    for argument in arguments {
        option(&mut line, argument);
    }
    Some(Command {
        redacted: line.contains(MARKER) || line.contains(URL_MARKER),
        line,
    })
}

/// Adds `--name=value` as people write it.
fn option(line: &mut String, argument: &str) {
    line.push(' ');
    match argument.split_once('=') {
        // A value that begins like an option would be taken for one.
        Some((name, value)) if !value.starts_with('-') => {
            line.push_str(&shell_word(name));
            line.push(' ');
            line.push_str(&shell_word(value));
        }
        _ => line.push_str(&shell_word(argument)),
    }
}

/// A word that a POSIX shell takes as it is.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@%+=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    fn meta() -> Meta {
        let root = tempfile::tempdir().unwrap();
        let writer = crate::fixture::writer(root.path());
        Session::read(writer.dir()).unwrap().meta
    }

    #[test]
    fn the_command_has_the_options_of_the_run() {
        let mut meta = meta();
        let arguments = [
            "--url=http://127.0.0.1:8000/?a=1&b=2",
            "--seed=7",
            "--blocklist=wipe all",
            "--blocklist=-x",
            "--grant=geolocation",
            "--block-origins",
        ];
        meta.extra.arguments = arguments.map(str::to_owned).to_vec();
        let told = command(&meta).unwrap();
        assert_eq!(
            told.line,
            "qa explore --url 'http://127.0.0.1:8000/?a=1&b=2' --seed 7 --blocklist 'wipe all' \
             --blocklist=-x --grant geolocation --block-origins"
        );
        assert!(!told.redacted);
        meta.extra.arguments.push(format!("--login-state={MARKER}"));
        let told = command(&meta).unwrap();
        assert!(told.redacted && told.line.ends_with(" --login-state '[REDACTED]'"));
    }

    #[test]
    fn the_bundled_apps_have_commands_of_their_own() {
        let mut meta = meta();
        meta.extra.arguments.clear();
        assert_eq!(command(&meta), None);
        meta.name = "qa-demo-sim".into();
        let line = command(&meta).unwrap().line;
        assert_eq!(line, "qa demo --sim --seed 0 --max-steps 30");
    }

    #[test]
    fn a_shell_reads_back_the_word() {
        assert_eq!(
            shell_word("http://127.0.0.1:8000/a"),
            "http://127.0.0.1:8000/a"
        );
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word("$(rm x)"), "'$(rm x)'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("删除"), "'删除'");
    }
}
