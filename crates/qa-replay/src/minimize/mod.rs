//! The fewest steps that still bring a crash about: first over the shortest known way, then by
//! delta debugging (Zeller and Hildebrandt, 2002), with what was typed kept together with what sent
//! it.

mod group;
mod route;
mod search;

use qa_core::{StepRecord, StopSignal};

use crate::Missing;

use search::Search;

pub use route::{shortest_route, ways};

/// Who does steps again. Steps are numbers of a session, the first of them a start of the app.
pub trait Oracle: Send {
    /// Why it could not be tried.
    type Error: Send;

    /// Starts the app anew and does these steps. Where the crash came up, the steps that could be
    /// done; else nothing.
    fn reproduces(
        &mut self,
        steps: &[u32],
        missing: Missing,
    ) -> impl Future<Output = Result<Option<Vec<u32>>, Self::Error>> + Send;

    /// Is told of each candidate whether it holds, after as many runs as that took.
    fn judged(&mut self, steps: &[u32], holds: bool) {
        let _ = (steps, holds);
    }
}

/// When a candidate holds, and how long to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinimizeOptions {
    /// In so many runs the crash must come up,
    pub need: u32,
    /// of so many.
    pub of: u32,
    /// The most runs in all.
    pub budget: u32,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minimized {
    /// The steps that are left, the start of the app first.
    pub steps: Vec<u32>,
    /// How many runs it took.
    pub runs: u32,
    /// None of them can be left out; false where the budget ended, the search was stopped, or the
    /// oracle failed.
    pub is_minimal: bool,
}

/// Looks for the fewest steps, from the first of `ways` on which the crash comes up often enough.
/// Nothing where it does so on none of them. No candidate is judged twice.
pub async fn minimize<O: Oracle>(
    records: &[StepRecord],
    ways: &[Vec<u32>],
    options: MinimizeOptions,
    stop: &StopSignal,
    oracle: &mut O,
) -> Result<Option<Minimized>, O::Error> {
    let mut search = Search::new(records, options, stop, oracle);
    let ended = search.run(ways).await;
    let is_minimal = match ended {
        Ok(()) => true,
        Err(search::Halt::Spent) => false,
        // What was found by then is not thrown away.
        Err(search::Halt::Oracle(_)) if search.best.is_some() => false,
        Err(search::Halt::Oracle(error)) => return Err(error),
    };
    let runs = search.runs;
    Ok(search.best.map(|steps| Minimized {
        steps,
        runs,
        is_minimal,
    }))
}

#[cfg(test)]
mod tests {
    use futures_executor::block_on;
    use proptest::prelude::*;
    use qa_core::{ElementKey, Fingerprint, Replay, StepNotes, StepResult};

    use super::*;

    /// Breaks where all of some steps are done, in the runs that it is told.
    struct Planted {
        needs: Vec<u32>,
        /// Their elements are not there any more.
        gone: Vec<u32>,
        /// Every so-manieth run breaks, 1 for all.
        every: u32,
        /// No run after so many can be tried.
        breaks_after: u32,
        runs: u32,
        judged: Vec<Vec<u32>>,
    }

    impl Planted {
        fn new(needs: &[u32]) -> Self {
            Self {
                needs: needs.to_vec(),
                gone: Vec::new(),
                every: 1,
                breaks_after: u32::MAX,
                runs: 0,
                judged: Vec::new(),
            }
        }
    }

    impl Oracle for Planted {
        type Error = ();

        async fn reproduces(
            &mut self,
            steps: &[u32],
            missing: Missing,
        ) -> Result<Option<Vec<u32>>, ()> {
            if self.runs == self.breaks_after {
                return Err(());
            }
            self.runs += 1;
            let is_gone = |step: &u32| self.gone.contains(step);
            let end = steps.iter().position(is_gone);
            let done: Vec<u32> = match missing {
                Missing::Skip => steps.iter().copied().filter(|it| !is_gone(it)).collect(),
                Missing::Stop => steps[..end.unwrap_or(steps.len())].to_vec(),
            };
            let all = self.needs.iter().all(|step| done.contains(step));
            Ok((all && self.runs.is_multiple_of(self.every)).then_some(done))
        }

        fn judged(&mut self, steps: &[u32], _holds: bool) {
            self.judged.push(steps.to_vec());
        }
    }

    /// A session whose first step starts the app; the pages of the others are given, and where a
    /// page has a `+` something is typed there.
    fn session(pages: &[&str]) -> Vec<StepRecord> {
        let page = |name: &str| Some(Fingerprint(name.trim_end_matches('+').into()));
        let key = ElementKey("id:a".into());
        let step = |(index, name): (u32, &&str)| StepRecord {
            index,
            action: String::new(),
            result: StepResult::Ok,
            notes: StepNotes {
                replay: Some(if index == 1 {
                    Replay::Launch
                } else if name.ends_with('+') {
                    Replay::InputText {
                        element_key: key.clone(),
                        input_value: Some("x".into()),
                        input_redacted: false,
                    }
                } else {
                    Replay::Tap {
                        element_key: key.clone(),
                    }
                }),
                page_from: page(name),
                page_to: pages.get(index as usize).and_then(|next| page(next)),
                ..StepNotes::default()
            },
        };
        (1..).zip(pages).map(step).collect()
    }

    const ALL: MinimizeOptions = MinimizeOptions {
        need: 1,
        of: 1,
        budget: 10_000,
    };

    fn found(
        pages: &[&str],
        ways: &[Vec<u32>],
        how: MinimizeOptions,
        oracle: &mut Planted,
    ) -> Option<Minimized> {
        block_on(minimize(
            &session(pages),
            ways,
            how,
            &StopSignal::default(),
            oracle,
        ))
        .unwrap()
    }

    // The shortest way that holds is where the search begins, and a longer one is not tried.
    #[test]
    fn the_first_way_that_holds_is_cut_down() {
        let pages = ["", "a", "b+", "b", "a", "c", "d", "a", "e"];
        let mut oracle = Planted::new(&[4, 9]);
        let ways = [vec![1, 9], (1..=9).collect()];
        let found = found(&pages, &ways, ALL, &mut oracle).unwrap();
        assert_eq!(found.steps, [1, 4, 9]);
        assert!(found.is_minimal);
        assert_eq!(found.runs, oracle.runs);
        assert_eq!(oracle.judged[0], [1, 9]);
    }

    // What was typed goes with what sent it, unless it is not needed at all.
    #[test]
    fn fills_stay_with_what_sends_them() {
        let pages = ["", "a", "b+", "b+", "b", "c"];
        let whole = [(1..=6).collect()];
        let mut oracle = Planted::new(&[3, 5]);
        let short = found(&pages, &whole, ALL, &mut oracle).unwrap();
        assert_eq!(short.steps, [1, 3, 5]);
        let torn = |steps: &Vec<u32>| steps.contains(&3) && !steps.contains(&5);
        let before_last: Vec<_> = oracle.judged.iter().take(4).collect();
        assert!(!before_last.into_iter().any(torn), "{:?}", oracle.judged);
    }

    // An element that is gone from the app is no reason to give up a way.
    #[test]
    fn what_cannot_be_done_any_more_is_left_out_at_once() {
        let pages = ["", "a", "b", "c", "d"];
        let mut oracle = Planted {
            gone: vec![2],
            ..Planted::new(&[3, 5])
        };
        let found = found(&pages, &[vec![1, 2, 3, 4, 5]], ALL, &mut oracle).unwrap();
        assert_eq!(found.steps, [1, 3, 5]);
        assert!(!oracle.judged[1..].iter().any(|steps| steps.contains(&2)));
    }

    #[test]
    fn the_start_alone_may_be_enough_and_no_way_may_be() {
        let pages = ["", "a", "b"];
        let whole = [vec![1, 2, 3]];
        let mut oracle = Planted::new(&[]);
        let none = found(&pages, &whole, ALL, &mut oracle).unwrap();
        assert_eq!(none.steps, [1]);
        let mut oracle = Planted::new(&[99]);
        assert_eq!(found(&pages, &whole, ALL, &mut oracle), None);
    }

    #[test]
    fn k_of_m_runs_decide_and_end_as_soon_as_they_do() {
        let pages = ["", "a", "b"];
        let whole = [vec![1, 2, 3]];
        let every_second = || Planted {
            every: 2,
            ..Planted::new(&[2])
        };
        let two_of_two = MinimizeOptions {
            need: 2,
            of: 2,
            ..ALL
        };
        assert_eq!(found(&pages, &whole, two_of_two, &mut every_second()), None);
        let two_of_four = MinimizeOptions {
            need: 2,
            of: 4,
            ..ALL
        };
        let mut oracle = every_second();
        let half = found(&pages, &whole, two_of_four, &mut oracle).unwrap();
        assert_eq!(half.steps, [1, 2]);
        // Candidates without step 2 end after three runs, as two of four cannot come any more.
        assert!(oracle.runs < 4 * u32::try_from(oracle.judged.len()).unwrap());
    }

    #[test]
    fn a_spent_budget_keeps_the_best() {
        let names: Vec<String> = (0..40).map(|page| format!("p{page}")).collect();
        let pages: Vec<&str> = names.iter().map(String::as_str).collect();
        let whole = [(1..=40).collect()];
        let few = MinimizeOptions { budget: 5, ..ALL };
        let mut oracle = Planted::new(&[20, 40]);
        let best = found(&pages, &whole, few, &mut oracle).unwrap();
        assert!(!best.is_minimal);
        assert_eq!((best.runs, oracle.runs), (5, 5));
        assert!(best.steps.contains(&20) && best.steps.contains(&40));
    }

    // What was found is not thrown away when the app goes down.
    #[test]
    fn an_oracle_that_fails_keeps_the_best() {
        let pages = session(&["", "a", "b", "c", "d"]);
        let ways = [vec![1, 2, 3, 4, 5]];
        let minimize = |breaks_after| {
            let mut oracle = Planted {
                breaks_after,
                ..Planted::new(&[3])
            };
            let stop = StopSignal::default();
            block_on(minimize(&pages, &ways, ALL, &stop, &mut oracle))
        };
        assert_eq!(minimize(0), Err(()));
        let best = minimize(2).unwrap().unwrap();
        assert!(!best.is_minimal && best.steps.contains(&3), "{best:?}");
    }

    proptest! {
        // What is found breaks, has nothing more than that takes, and no candidate comes twice.
        #[test]
        fn what_is_found_is_needed(
            fills in proptest::collection::vec(any::<bool>(), 1..30),
            pages in proptest::collection::vec(0_u8..6, 30),
            needs in proptest::collection::btree_set(2_u32..30, 0..5),
        ) {
            let names: Vec<String> = std::iter::once(String::new())
                .chain(fills.iter().zip(&pages).map(|(is_fill, page)| {
                    format!("p{page}{}", if *is_fill { "+" } else { "" })
                }))
                .collect();
            let pages: Vec<&str> = names.iter().map(String::as_str).collect();
            let count = u32::try_from(pages.len()).unwrap();
            let needs: Vec<u32> = needs.into_iter().filter(|step| *step <= count).collect();
            let mut oracle = Planted::new(&needs);
            let whole = [(1..=count).collect()];
            let found = found(&pages, &whole, ALL, &mut oracle).unwrap();
            let wanted: Vec<u32> = std::iter::once(1).chain(needs).collect();
            // A fill that is needed keeps the step that sends it only until all are tried alone.
            prop_assert_eq!(found.steps, wanted);
            let mut judged = oracle.judged.clone();
            judged.sort();
            judged.dedup();
            prop_assert_eq!(judged.len(), oracle.judged.len());
        }
    }
}
