//! Shards and reruns as one.

use std::collections::BTreeMap;

use super::{Attempt, Case, CaseStatus, SUITE_SCHEMA, Suite};

/// Why suites are not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// The file is no suite.
    #[error("it holds no results of a replay: {0}")]
    NotOne(String),
    /// A later `qa` wrote it.
    #[error("it has version {found}, and this qa reads up to {SUITE_SCHEMA}")]
    Newer {
        /// Its version.
        found: u32,
    },
    /// They are parts of jobs that were cut differently.
    #[error("one is a part of {first}, another of {other}")]
    OtherShards {
        /// Of how many parts the first job is, 0 for a whole one.
        first: u32,
        /// And the other.
        other: u32,
    },
    /// They are parts of jobs that were given different files: put together, they would not say what
    /// was not run.
    #[error("the shards were given different scenarios")]
    OtherFiles,
}

impl Suite {
    /// Reads what a suite was written as.
    pub fn parse(text: &str) -> Result<Self, SuiteError> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            schema_version: u32,
        }
        let not_one = |error: serde_json::Error| SuiteError::NotOne(error.to_string());
        let version: Version = serde_json::from_str(text).map_err(not_one)?;
        if version.schema_version > SUITE_SCHEMA {
            let found = version.schema_version;
            return Err(SuiteError::Newer { found });
        }
        serde_json::from_str(text).map_err(not_one)
    }
}

/// Puts suites together, in whatever order they come: the same scenario in several of them has
/// several attempts, and one that comes twice counts once.
pub fn merge_suites(suites: Vec<Suite>) -> Result<Suite, SuiteError> {
    let of = |suite: &Suite| suite.shards.first().map_or(0, |shard| shard.of);
    let first = suites.first().map_or(0, of);
    if let Some(other) = suites.iter().map(of).find(|other| *other != first) {
        return Err(SuiteError::OtherShards { first, other });
    }
    let digest = suites.first().and_then(|suite| suite.digest.clone());
    if first > 0 && suites.iter().any(|suite| suite.digest != digest) {
        return Err(SuiteError::OtherFiles);
    }
    let mut shards: Vec<_> = suites
        .iter()
        .flat_map(|suite| suite.shards.clone())
        .collect();
    shards.sort_unstable();
    shards.dedup();
    let tool = suites.iter().map(|suite| suite.tool.clone()).max();
    let mut cases: BTreeMap<(u32, String, String), Case> = BTreeMap::new();
    for case in suites.into_iter().flat_map(|suite| suite.scenarios) {
        let key = (case.position, case.file.clone(), case.digest.clone());
        match cases.get_mut(&key) {
            Some(known) => known.attempts.extend(case.attempts),
            None => {
                cases.insert(key, case);
            }
        }
    }
    let mut scenarios: Vec<Case> = cases.into_values().collect();
    for case in &mut scenarios {
        let order = |attempt: &Attempt| {
            let Attempt {
                started_at,
                finished_at,
                report,
                ..
            } = attempt;
            (started_at.clone(), finished_at.clone(), report.clone())
        };
        case.attempts.sort_by_key(order);
        // The same attempt may lie in two directories that were copied.
        case.attempts.dedup_by(|one, other| {
            one.started_at == other.started_at && one.finished_at == other.finished_at
        });
        case.status = CaseStatus::of(&case.attempts);
    }
    Ok(Suite {
        schema_version: SUITE_SCHEMA,
        tool: tool.unwrap_or_default(),
        shards,
        digest: digest.filter(|_| first > 0),
        merged: true,
        scenarios,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Shard;
    use super::*;
    use crate::RunStatus;

    fn attempt(status: RunStatus, second: u32) -> Attempt {
        Attempt {
            status,
            reason: None,
            message: None,
            step_index: None,
            steps: 1,
            started_at: format!("2026-11-30T08:00:{second:02}Z"),
            finished_at: format!("2026-11-30T08:01:{second:02}Z"),
            report: "r".into(),
            details: None,
        }
    }

    fn suite(shard: Option<Shard>, statuses: &[Option<RunStatus>]) -> Suite {
        let case = |(position, status): (u32, &Option<RunStatus>)| {
            let attempts: Vec<_> = status
                .iter()
                .map(|status| attempt(*status, position))
                .collect();
            Case {
                position,
                file: format!("{position}.json"),
                digest: "d".into(),
                name: "n".into(),
                status: CaseStatus::of(&attempts),
                attempts,
            }
        };
        Suite {
            schema_version: SUITE_SCHEMA,
            tool: "0".into(),
            shards: shard.into_iter().collect(),
            digest: shard.map(|_| "d".into()),
            merged: false,
            scenarios: (1..)
                .zip(statuses)
                .filter(|(position, _)| shard.is_none_or(|shard| shard.has(*position)))
                .map(case)
                .collect(),
        }
    }

    fn status() -> impl Strategy<Value = Option<RunStatus>> {
        prop_oneof![
            Just(None),
            Just(Some(RunStatus::Pass)),
            Just(Some(RunStatus::Inconclusive)),
            Just(Some(RunStatus::Fail)),
            Just(Some(RunStatus::Blocked)),
        ]
    }

    // A retry never turns anything into a pass.
    #[test]
    fn what_passed_once_in_two_attempts_is_flaky() {
        let all = [
            RunStatus::Fail,
            RunStatus::Inconclusive,
            RunStatus::Blocked,
            RunStatus::Pass,
        ];
        let of = |statuses: &[RunStatus]| {
            let attempts: Vec<_> = statuses.iter().map(|status| attempt(*status, 1)).collect();
            CaseStatus::of(&attempts)
        };
        for other in &all[..3] {
            assert_eq!(of(&[*other, RunStatus::Pass]), CaseStatus::Flaky);
            assert_eq!(of(&[RunStatus::Pass, *other]), CaseStatus::Flaky);
        }
        assert_eq!(
            of(&[RunStatus::Inconclusive, RunStatus::Fail]),
            CaseStatus::Fail
        );
        assert_eq!(of(&[RunStatus::Pass, RunStatus::Pass]), CaseStatus::Pass);
        assert_eq!(of(&[]), CaseStatus::NotRun);
        assert_eq!(CaseStatus::Flaky.exit_code(), 2);
    }

    #[test]
    fn a_missing_shard_is_no_pass() {
        let shard = |index| Shard { index, of: 3 };
        let one = |index| suite(Some(shard(index)), &[Some(RunStatus::Pass); 2]);
        assert_eq!(one(1).status(), CaseStatus::Pass);
        // More shards than scenarios: the third has nothing to do.
        assert_eq!(one(3).status(), CaseStatus::Pass);
        let two = merge_suites(vec![one(2), one(1)]).unwrap();
        assert_eq!(two.missing_shards(), [3]);
        let first = merge_suites(vec![one(1)]).unwrap();
        assert_eq!(first.missing_shards(), [2, 3]);
        assert_eq!(first.status(), CaseStatus::NotRun);
        assert_eq!(two.status(), CaseStatus::NotRun);
        let all = merge_suites(vec![two, one(3)]).unwrap();
        assert_eq!(
            (all.missing_shards().len(), all.status()),
            (0, CaseStatus::Pass)
        );
        let whole = suite(None, &[Some(RunStatus::Pass)]);
        assert_eq!(
            merge_suites(vec![one(1), whole]),
            Err(SuiteError::OtherShards { first: 3, other: 0 })
        );
        // One that was given fewer files says nothing of what the others were given.
        let fewer = Suite {
            digest: Some("other".into()),
            ..one(2)
        };
        assert_eq!(
            merge_suites(vec![one(1), fewer]),
            Err(SuiteError::OtherFiles)
        );
        assert_eq!(suite(None, &[]).status(), CaseStatus::NotRun);
    }

    #[test]
    fn a_later_version_and_another_file_are_refused() {
        let text = serde_json::to_string(&suite(None, &[Some(RunStatus::Fail)])).unwrap();
        assert!(Suite::parse(&text).is_ok());
        let later = text.replace("\"schemaVersion\":1", "\"schemaVersion\":2");
        assert_eq!(Suite::parse(&later), Err(SuiteError::Newer { found: 2 }));
        assert!(matches!(Suite::parse("[]"), Err(SuiteError::NotOne(_))));
    }

    proptest! {
        // Shards are one run, whatever their order; what comes twice counts once.
        #[test]
        fn shards_together_are_the_whole(
            statuses in proptest::collection::vec(status(), 0..12),
            of in 1_u32..5,
            turn in 0_usize..5,
        ) {
            let whole = suite(None, &statuses);
            let mut parts: Vec<_> = (1..=of)
                .map(|index| suite(Some(Shard { index, of }), &statuses))
                .collect();
            parts.rotate_left(turn % of as usize);
            parts.push(parts[0].clone());
            let merged = merge_suites(parts).unwrap();
            prop_assert_eq!(&merged.scenarios, &whole.scenarios);
            prop_assert_eq!(merged.missing_shards(), Vec::<u32>::new());
            if !statuses.is_empty() {
                prop_assert_eq!(merged.status(), whole.status());
            }
            prop_assert_eq!(merge_suites(vec![merged.clone()]).unwrap(), merged);
        }

        // REP-INV-02: what failed somewhere is green nowhere.
        #[test]
        fn no_set_of_attempts_hides_a_failure(
            statuses in proptest::collection::vec(status().prop_filter_map("run", |it| it), 1..5),
        ) {
            let attempts: Vec<_> = statuses.iter().map(|status| attempt(*status, 1)).collect();
            let all_passed = statuses.iter().all(|status| *status == RunStatus::Pass);
            prop_assert_eq!(CaseStatus::of(&attempts) == CaseStatus::Pass, all_passed);
            prop_assert_eq!(CaseStatus::of(&attempts).exit_code() == 0, all_passed);
        }
    }
}
