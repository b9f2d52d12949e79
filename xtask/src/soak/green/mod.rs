//! A shop that is broken on purpose, in hundreds of ways: does a replay ever show a green that was
//! not proven?

mod mutation;
mod oracle;
mod part;
mod play;
mod suite;
mod tally;
mod witness;
mod worker;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use qa_core::Clock;

use super::random::Random;
use crate::failure::Failure;
use crate::workspace::Workspace;
use mutation::{Mutation, mutations};
use oracle::{Expected, concerns, expected};
use suite::{Size, Sound};
use tally::{Outcome, Tally};
use worker::{Crew, Stand};

/// How much to break.
#[derive(Debug, Args)]
pub(crate) struct Green {
    /// Mutations of the shop.
    #[arg(long, default_value_t = 500)]
    mutations: usize,
    /// Seed of the exploration, the mutations and the pairs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A few mutations and a small suite without an exploration.
    #[arg(long)]
    quick: bool,
    /// Browsers at once.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Clock of the pages: `real`, as `qa replay` has it, or `virtual`.
    #[arg(long, default_value = "real", value_parser = clock)]
    clock: Clock,
    /// A folder of scenarios that a run kept, instead of exploring anew.
    #[arg(long)]
    suite: Option<PathBuf>,
    /// For how long new runs are begun; without it, until all are done.
    #[arg(long)]
    minutes: Option<u64>,
    /// Only the mutation with this number.
    #[arg(long)]
    only: Option<usize>,
}

/// One scenario on one changed shop.
struct Pair<'p> {
    mutation: &'p Mutation,
    sound: &'p Sound,
    expected: Expected,
}

const FULL: Size = Size {
    explored_steps: 160,
    explored: 20,
    walks: usize::MAX,
    by_hand: usize::MAX,
};
const QUICK: Size = Size {
    explored_steps: 0,
    explored: 0,
    walks: 2,
    by_hand: 1,
};
/// Scenarios of the suite, at least.
const LEAST: usize = 25;

pub(crate) fn run(green: &Green) -> Result<(), Failure> {
    let crew = Crew {
        jobs: green.jobs,
        clock: green.clock,
    };
    let (size, count, each) = if green.quick {
        (QUICK, green.mutations.min(12), 2)
    } else {
        (FULL, green.mutations, 5)
    };
    let suite = match &green.suite {
        Some(dir) => suite::read(&crew, dir)?,
        None => suite::make(&crew, size, green.seed)?,
    };
    if !green.quick {
        if suite.len() < LEAST {
            let message = format!("the suite has {} scenarios, not {LEAST}", suite.len());
            return Err(Failure::failed(message));
        }
        if green.suite.is_none() {
            let dir = Workspace::read()?.target.join("soak/green");
            suite::keep(&suite, &dir)?;
            eprintln!("the suite is kept in {}", dir.display());
        }
    }
    println!(
        "{} scenarios pass on the sound shop, and the witness agrees",
        suite.len()
    );
    let mut mutations = mutations(&suite, count, green.seed);
    mutations.retain(|mutation| green.only.is_none_or(|only| mutation.number == only));
    let tally = try_all(
        &crew,
        &pairs(&suite, &mutations, each, green.seed),
        green.minutes,
    )?;
    tally.print();
    tally.verdict()
}

fn clock(word: &str) -> Result<Clock, String> {
    match word {
        "real" => Ok(Clock::Real),
        "virtual" => Ok(Clock::Virtual),
        _ => Err("must be `real` or `virtual`".to_owned()),
    }
}

fn try_all(crew: &Crew, pairs: &[Pair<'_>], minutes: Option<u64>) -> Result<Tally, Failure> {
    let (done, began) = (AtomicUsize::new(0), Instant::now());
    let limit = minutes.map(|minutes| Duration::from_secs(60 * minutes));
    let outcomes = crew.each(pairs, async |stand, pair| {
        if limit.is_some_and(|limit| began.elapsed() >= limit) {
            return Ok(None);
        }
        let outcome = try_one(stand, pair).await?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(100) {
            let passed = began.elapsed().as_secs_f64();
            eprintln!("{done} of {} pairs in {passed:.0} s", pairs.len());
        }
        Ok(Some(outcome))
    })?;
    let tried: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    if tried.len() < pairs.len() {
        println!(
            "the time was over after {} of {} runs",
            tried.len(),
            pairs.len()
        );
    }
    Ok(Tally::of(tried))
}

async fn try_one(stand: &Stand, pair: &Pair<'_>) -> Result<Outcome, Failure> {
    let played = play::play(&pair.sound.scenario, pair.mutation, stand).await?;
    let doubt = played.testimony.refutes(&pair.sound.scenario);
    let outcome = Outcome {
        number: pair.mutation.number,
        class: pair.mutation.class,
        what: format!("{} {}", pair.mutation.plan, broken(pair.mutation)),
        scenario: pair.sound.name().to_owned(),
        expected: pair.expected,
        took_effect: played.testimony.changes > 0,
        passed: played.passed(),
        why: played.why(),
        doubt,
    };
    outcome.tell();
    Ok(outcome)
}

fn broken(mutation: &Mutation) -> String {
    let calls = mutation.broken.iter();
    calls
        .map(|(call, how)| format!("{call}: {how:?}"))
        .collect()
}

/// For each mutation the scenarios that it concerns, up to a limit, and a few others.
fn pairs<'p>(
    suite: &'p [Sound],
    mutations: &'p [Mutation],
    each: usize,
    seed: u64,
) -> Vec<Pair<'p>> {
    const OTHERS: usize = 1;
    let mut random = Random::new(seed ^ 0xA5A5);
    let mut pairs = Vec::new();
    for mutation in mutations {
        let mut order: Vec<&Sound> = suite.iter().collect();
        random.shuffle(&mut order);
        let calls_it = |sound: &Sound| {
            sound
                .calls
                .iter()
                .any(|it| mutation.broken.contains_key(it))
        };
        let is_about_all = mutation.element.is_none() && mutation.broken.is_empty();
        let (concerned, others): (Vec<_>, Vec<_>) = order
            .into_iter()
            .partition(|sound| concerns(mutation, &sound.parts) || calls_it(sound) || is_about_all);
        let chosen = concerned
            .into_iter()
            .take(each)
            .chain(others.into_iter().take(OTHERS));
        pairs.extend(chosen.map(|sound| Pair {
            mutation,
            sound,
            expected: expected(mutation, &sound.parts),
        }));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    // REP-INV-01, REP-INV-11, D-07
    #[test]
    fn a_broken_shop_is_never_green() {
        let green = Green {
            mutations: 12,
            seed: 1,
            quick: true,
            jobs: 2,
            clock: Clock::Virtual,
            suite: None,
            minutes: None,
            only: None,
        };
        let crew = Crew {
            jobs: green.jobs,
            clock: green.clock,
        };
        let suite = suite::make(&crew, QUICK, green.seed).unwrap();
        let mutations = mutations(&suite, green.mutations, green.seed);
        assert_eq!(mutations.len(), green.mutations);
        let tally = try_all(
            &crew,
            &pairs(&suite, &mutations, 2, green.seed),
            green.minutes,
        )
        .unwrap();
        tally.print();
        assert!(tally.must_not_pass() >= 5, "nothing was put to the test");
        tally.verdict().unwrap();
    }
}
