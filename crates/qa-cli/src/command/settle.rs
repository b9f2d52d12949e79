//! Figures of settling that the environment gives (REP-038, REP-039).

use qa_replay::Settings;

use crate::exit::Failure;
use crate::output;

/// Our own names, and those of older drivers.
const PREFIXES: [&str; 3] = ["QA_SETTLE_", "DSH_QA_SETTLE_", "DSHPLUGIN_QA_SETTLE_"];

/// What is set. Where a scenario gives a figure itself, that one counts.
pub(super) fn from_environment() -> Result<Settings, Failure> {
    read(|name| std::env::var(name).ok())
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, Failure> {
    let figure = |name: &str| -> Result<Option<u64>, Failure> {
        let names = PREFIXES.map(|prefix| format!("{prefix}{name}_MS"));
        let mut set = names
            .iter()
            .filter_map(|name| Some((name, variable(name)?)));
        let Some((first, value)) = set.next() else {
            return Ok(None);
        };
        if let Some((other, _)) = set.find(|(_, other)| *other != value) {
            let message = format!("{first} and {other} are set to different values");
            return Err(Failure::usage(message).hint("set the first one alone"));
        }
        let is_never = name == "ADAPTIVE_BUDGET" && value.trim() == "off";
        let parsed = if is_never {
            Some(0)
        } else {
            let least = u64::from(name != "ADAPTIVE_BUDGET");
            value.trim().parse().ok().filter(|value| *value >= least)
        };
        if parsed.is_none() {
            output::say(&format!(
                "note: {first} is no number of milliseconds; the default is used"
            ));
        }
        Ok(parsed)
    };
    Ok(Settings {
        budget_ms: figure("BUDGET")?,
        quiet_ms: figure("QUIET")?,
        post_change_quiet_ms: figure("POST_CHANGE_QUIET")?,
        interval_ms: figure("INTERVAL")?,
        adaptive_budget_ms: figure("ADAPTIVE_BUDGET")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-038, REP-039
    #[test]
    fn what_is_set_is_read_and_contradictions_are_refused() {
        let set = |pairs: &'static [(&str, &str)]| {
            read(move |name| {
                let pair = pairs.iter().find(|(known, _)| *known == name);
                pair.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(set(&[]).unwrap(), Settings::default());
        let given = set(&[
            ("QA_SETTLE_BUDGET_MS", "5000"),
            ("DSH_QA_SETTLE_BUDGET_MS", "5000"),
            ("DSHPLUGIN_QA_SETTLE_QUIET_MS", "200"),
            ("QA_SETTLE_INTERVAL_MS", "soon"),
            ("QA_SETTLE_POST_CHANGE_QUIET_MS", "0"),
            ("QA_SETTLE_ADAPTIVE_BUDGET_MS", "off"),
        ]);
        let expected = Settings {
            budget_ms: Some(5_000),
            quiet_ms: Some(200),
            adaptive_budget_ms: Some(0),
            ..Settings::default()
        };
        assert_eq!(given.unwrap(), expected);
        let differing = set(&[
            ("QA_SETTLE_BUDGET_MS", "5000"),
            ("DSH_QA_SETTLE_BUDGET_MS", "4000"),
        ]);
        assert!(differing.is_err());
    }
}
