//! How much of a page is read where a verdict rests on it, as the environment says (REP-051).

use qa_core::NodeBudget;

use crate::exit::Failure;

const JUDGING: &str = "QA_NODE_BUDGET";
const ESCALATED: &str = "QA_ESCALATED_NODE_BUDGET";

/// What is set, or the usual budget.
pub(super) fn from_environment() -> Result<NodeBudget, Failure> {
    read(|name| std::env::var(name).ok())
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Result<NodeBudget, Failure> {
    let figure = |name: &str, usual: usize| match variable(name) {
        None => Ok(usual),
        Some(value) => value.trim().parse().map_err(|_| {
            Failure::usage(format!("{name} is no number of nodes")).hint("such as 5000")
        }),
    };
    let usual = NodeBudget::default();
    let judging: usize = figure(JUDGING, usual.judging().max_nodes)?;
    let escalated = figure(ESCALATED, usual.escalated().max_nodes.max(judging))?;
    NodeBudget::new(judging, escalated).ok_or_else(|| {
        let message = format!("{judging} and then {escalated} nodes cannot be read");
        let most = NodeBudget::MOST;
        Failure::usage(message).hint(format!(
            "{JUDGING} is 1 or more, {ESCALATED} not less than it and at most {most}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-051
    #[test]
    fn budgets_beyond_what_can_be_read_are_refused() {
        let set = |judging: &'static str, escalated: &'static str| {
            let value = move |name: &str| if name == JUDGING { judging } else { escalated };
            read(move |name| Some(value(name).to_owned()).filter(|value| !value.is_empty()))
        };
        let budget = |judging, escalated| {
            set(judging, escalated)
                .ok()
                .map(|nodes| (nodes.judging().max_nodes, nodes.escalated().max_nodes))
        };
        assert_eq!(budget("", ""), Some((5_000, 50_000)));
        assert_eq!(budget("100", "500"), Some((100, 500)));
        assert_eq!(budget("60000", ""), Some((60_000, 60_000)));
        for (judging, escalated) in [
            ("0", ""),
            ("100", "99"),
            ("", "4999"),
            ("1", "100001"),
            ("many", ""),
        ] {
            assert_eq!(budget(judging, escalated), None, "{judging} {escalated}");
        }
    }
}
