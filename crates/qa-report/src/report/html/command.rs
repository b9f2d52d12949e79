//! The command that does a run again.

use qa_core::{Clock, CrashKind, Navigation, PageIdentity, Platform};
use qa_redact::{MARKER, URL_MARKER};

use crate::Meta;

/// A command line for a POSIX shell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) line: String,
    /// Values were given in a file whose name is not stored.
    pub(super) needs_inputs: bool,
    /// Redaction took a part of it.
    pub(super) redacted: bool,
}

/// The command that repeats a session: its address, its seed, and each option that is not the
/// default. None for what cannot be started from the command line.
pub(super) fn command(meta: &Meta) -> Option<Command> {
    let (config, driver) = (&meta.extra.config, &meta.extra.driver);
    let mut line = match meta.name.as_str() {
        // The bundled apps have another address each time.
        "qa-demo-web" => String::from("qa demo --web"),
        "qa-demo-sim" => String::from("qa demo --sim"),
        _ if driver.platform == Platform::Web => {
            let mut line = String::from("qa explore");
            option(&mut line, "--url", &driver.target);
            line
        }
        _ => return None,
    };
    option(&mut line, "--seed", &config.seed.to_string());
    option(&mut line, "--max-steps", &config.max_steps.to_string());
    if line.starts_with("qa explore") {
        option(&mut line, "--duration-min", &minutes(config.duration_ms));
        explore_options(&mut line, meta);
    }
    Some(Command {
        needs_inputs: config.inputs == "given",
        redacted: line.contains(MARKER) || line.contains(URL_MARKER),
        line,
    })
}

fn explore_options(line: &mut String, meta: &Meta) {
    let (config, driver) = (&meta.extra.config, &meta.extra.driver);
    if driver.clock == Clock::Real {
        option(line, "--clock", "real");
    }
    let own = |origin: &&String| driver.target.starts_with(origin.as_str());
    for origin in config.boundary.iter().filter(|origin| !own(origin)) {
        option(line, "--allow-origin", origin.trim_end_matches('/'));
    }
    for word in &config.blocklist {
        option(line, "--blocklist", word);
    }
    if config.inputs == "none" {
        option(line, "--inputs", "none");
    }
    if config.navigation == Navigation::Back {
        option(line, "--navigation", "back");
    }
    if config.page_identity == PageIdentity::Exact {
        option(line, "--page-identity", "exact");
    }
    for (name, kinds) in [
        ("--fail-on", &config.fail_on),
        ("--tolerate", &config.tolerate),
    ] {
        let kinds: Vec<_> = kinds.iter().copied().map(CrashKind::as_str).collect();
        if !kinds.is_empty() {
            option(line, name, &kinds.join(","));
        }
    }
}

fn option(line: &mut String, name: &str, value: &str) {
    line.push(' ');
    line.push_str(name);
    // A value that begins like an option would be taken for one.
    line.push(if value.starts_with('-') { '=' } else { ' ' });
    line.push_str(&quoted(value));
}

/// A word that a POSIX shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@%+=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn minutes(ms: u64) -> String {
    // Millionths are more than a millisecond can tell.
    let text = format!("{:.6}", ms as f64 / 60_000.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
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
    fn the_command_has_the_options_that_matter() {
        let mut meta = meta();
        let line = |meta: &Meta| command(meta).unwrap().line;
        let plain =
            "qa explore --url http://127.0.0.1:8000/ --seed 0 --max-steps 30 --duration-min 10";
        assert_eq!(line(&meta), plain);

        let config = &mut meta.extra.config;
        config.boundary.push("https://login.test:8443/".into());
        config.duration_ms = 90_000;
        config.blocklist = vec!["wipe all".into(), "it's".into(), "-x".into()];
        config.inputs = "none".into();
        config.navigation = Navigation::Back;
        config.page_identity = PageIdentity::Exact;
        config.fail_on = vec![CrashKind::ConsoleError, CrashKind::Http4xx];
        config.tolerate = vec![CrashKind::Http5xx];
        meta.extra.driver.clock = Clock::Real;
        assert_eq!(
            line(&meta),
            "qa explore --url http://127.0.0.1:8000/ --seed 0 --max-steps 30 --duration-min 1.5 \
             --clock real --allow-origin https://login.test:8443 --blocklist 'wipe all' \
             --blocklist 'it'\\''s' --blocklist=-x --inputs none --navigation back \
             --page-identity exact --fail-on console-error,http-4xx --tolerate http-5xx"
        );
    }

    #[test]
    fn what_the_command_cannot_say_is_told() {
        let mut meta = meta();
        meta.extra.config.inputs = "given".into();
        meta.extra.driver.target = format!("http://127.0.0.1:8000/{MARKER}");
        let told = command(&meta).unwrap();
        assert!(told.needs_inputs && told.redacted, "{told:?}");
        meta.name = "qa-demo-sim".into();
        assert_eq!(
            command(&meta).unwrap().line,
            "qa demo --sim --seed 0 --max-steps 30"
        );
        meta.name = "app".into();
        meta.extra.driver.platform = Platform::Android;
        assert_eq!(command(&meta), None);
    }

    #[test]
    fn a_shell_reads_back_the_word() {
        assert_eq!(quoted("http://127.0.0.1:8000/a"), "http://127.0.0.1:8000/a");
        assert_eq!(quoted("http://h/?a=1&b=2"), "'http://h/?a=1&b=2'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm x)"), "'$(rm x)'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("删除"), "'删除'");
    }

    #[test]
    fn minutes_are_short() {
        assert_eq!(minutes(600_000), "10");
        assert_eq!(minutes(90_000), "1.5");
        assert_eq!(minutes(1_000), "0.016667");
    }
}
