//! The search itself: ways, cycles, groups, single steps.

use std::collections::HashMap;
use std::ops::Range;

use qa_core::{StepRecord, StopSignal};

use super::group::{groups, page};
use super::{MinimizeOptions, Oracle};
use crate::Missing;

/// Why a search ended before its end.
pub(super) enum Halt<E> {
    /// The budget is spent, or somebody asked to stop.
    Spent,
    /// The oracle failed.
    Oracle(E),
}

pub(super) struct Search<'a, O: Oracle> {
    records: &'a [StepRecord],
    options: MinimizeOptions,
    stop: &'a StopSignal,
    oracle: &'a mut O,
    judged: HashMap<Vec<u32>, bool>,
    /// How many runs there were.
    pub(super) runs: u32,
    /// The fewest steps that held so far.
    pub(super) best: Option<Vec<u32>>,
}

impl<'a, O: Oracle> Search<'a, O> {
    pub(super) fn new(
        records: &'a [StepRecord],
        options: MinimizeOptions,
        stop: &'a StopSignal,
        oracle: &'a mut O,
    ) -> Self {
        Self {
            records,
            options,
            stop,
            oracle,
            judged: HashMap::new(),
            runs: 0,
            best: None,
        }
    }

    pub(super) async fn run(&mut self, ways: &[Vec<u32>]) -> Result<(), Halt<O::Error>> {
        for way in ways {
            if !self.judge(way, Missing::Skip).await? {
                continue;
            }
            let done = self.best.clone().unwrap_or_default();
            if let Some((start, rest)) = done.split_first() {
                let rest = self.without_cycles(*start, rest.to_vec()).await?;
                let rest = self.without_groups(*start, &rest).await?;
                self.without_steps(*start, rest).await?;
            }
            return Ok(());
        }
        Ok(())
    }

    /// Whether the crash comes up often enough on a part of a way that holds.
    async fn holds(&mut self, start: u32, rest: &[u32]) -> Result<bool, Halt<O::Error>> {
        let steps: Vec<u32> = std::iter::once(start).chain(rest.iter().copied()).collect();
        self.judge(&steps, Missing::Stop).await
    }

    /// Whether the crash comes up often enough on a candidate.
    async fn judge(&mut self, steps: &[u32], missing: Missing) -> Result<bool, Halt<O::Error>> {
        if let Some(known) = self.judged.get(steps) {
            return Ok(*known);
        }
        let mut done = steps.to_vec();
        let MinimizeOptions { need, of, budget } = self.options;
        let (mut met, mut missed) = (0, 0);
        while met < need && missed + need <= of {
            if self.runs >= budget || self.stop.is_stopped() {
                return Err(Halt::Spent);
            }
            self.runs += 1;
            let run = self.oracle.reproduces(steps, missing).await;
            match run.map_err(Halt::Oracle)? {
                Some(those) => {
                    met += 1;
                    done = those;
                }
                None => missed += 1,
            }
        }
        let holds = met >= need;
        self.oracle.judged(&done, holds);
        self.judged.insert(steps.to_vec(), holds);
        if holds {
            self.judged.insert(done.clone(), holds);
            self.best = Some(done);
        }
        Ok(holds)
    }

    /// Leaves out what only leads back to a page where one has been, the longest way back first.
    async fn without_cycles(
        &mut self,
        start: u32,
        mut steps: Vec<u32>,
    ) -> Result<Vec<u32>, Halt<O::Error>> {
        let mut from = 0;
        while from < steps.len() {
            let here = page(self.records, steps[from]);
            let back = (from + 1..steps.len())
                .rev()
                .find(|to| here.is_some() && page(self.records, steps[*to]) == here);
            if let Some(to) = back {
                let shorter = without(&steps, from..to);
                if self.holds(start, &shorter).await? {
                    steps = shorter;
                }
            }
            from += 1;
        }
        Ok(steps)
    }

    /// Delta debugging: leaves out ever smaller parts, until no single group can be left out.
    async fn without_groups(
        &mut self,
        start: u32,
        steps: &[u32],
    ) -> Result<Vec<u32>, Halt<O::Error>> {
        let mut left = groups(self.records, steps);
        let mut parts = 2;
        while !left.is_empty() {
            let size = left.len().div_ceil(parts);
            let mut is_shorter = false;
            let mut from = 0;
            while from < left.len() {
                let shorter = without(&left, from..(from + size).min(left.len()));
                if self.holds(start, &shorter.concat()).await? {
                    left = shorter;
                    is_shorter = true;
                } else {
                    from += size;
                }
            }
            if size == 1 && !is_shorter {
                break;
            }
            parts = if size == 1 {
                left.len().max(1)
            } else {
                parts * 2
            };
        }
        Ok(left.concat())
    }

    /// Leaves out single steps of groups, until none can be.
    async fn without_steps(
        &mut self,
        start: u32,
        mut steps: Vec<u32>,
    ) -> Result<(), Halt<O::Error>> {
        let mut is_shorter = true;
        while is_shorter {
            is_shorter = false;
            let mut from = 0;
            while from < steps.len() {
                let shorter = without(&steps, from..from + 1);
                if self.holds(start, &shorter).await? {
                    steps = shorter;
                    is_shorter = true;
                } else {
                    from += 1;
                }
            }
        }
        Ok(())
    }
}

fn without<T: Clone>(list: &[T], left_out: Range<usize>) -> Vec<T> {
    let mut rest = list.to_vec();
    rest.drain(left_out);
    rest
}
