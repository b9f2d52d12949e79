//! Starting the app: at first, and again after it was lost.

use super::here::Here;
use super::perform::code;
use super::run::{Flow, LastStep, Run};
use crate::{Ended, Place, Replay, Settle, SettlePolicy, StepNotes, StepRecord, StepResult};

/// Launches in a row that may fail.
const PATIENCE: u32 = 2;

/// New starts in a row that may lead to nothing that was not tried before.
const VAIN_STARTS: u32 = 10;

/// The codes of a kind of launch.
#[derive(Debug, Clone, Copy)]
struct Codes {
    failed: &'static str,
    crashed: &'static str,
}

const FIRST: Codes = Codes {
    failed: "LAUNCH_FAILED",
    crashed: "LAUNCH_CRASHED",
};
const AGAIN: Codes = Codes {
    failed: "RELAUNCH_FAILED",
    crashed: "RELAUNCH_CRASHED",
};

impl Run<'_> {
    /// Starts the app for the first time (EXP-054 to EXP-056).
    pub(super) async fn launch(&mut self) -> Flow<()> {
        self.start(FIRST, false).await
    }

    /// Starts the app again, as a formal step (EXP-096 to EXP-099). What happened before is asked
    /// for first, so that it is not charged to the start. An app that is lost again and again
    /// before anything can be tried on it is given up.
    pub(super) async fn recover(&mut self, navigation: bool) -> Flow<()> {
        self.here = None;
        let crashes = self.query().await;
        self.file(crashes, self.ledger.last_completed())?;
        if !navigation {
            self.vain_starts += 1;
        }
        if self.vain_starts > VAIN_STARTS {
            let text = format!(
                "the app was started again {VAIN_STARTS} times in a row, and each time it was lost \
                 before anything new could be tried"
            );
            self.ledger.abort("RELAUNCHED_IN_VAIN", text);
            return Err(Ended::Aborted);
        }
        self.start(AGAIN, navigation).await
    }

    async fn start(&mut self, codes: Codes, navigation: bool) -> Flow<()> {
        let mut why = String::new();
        for _ in 0..PATIENCE {
            match self.try_start(codes, navigation).await? {
                Ok(()) => return Ok(()),
                Err(reason) => why = reason,
            }
        }
        let text = format!("the app did not start {PATIENCE} times in a row: {why}");
        self.ledger.abort(codes.failed, text);
        Err(Ended::Aborted)
    }

    /// One launch, as a formal step. Says whether the app came to the front, or why not.
    async fn try_start(
        &mut self,
        codes: Codes,
        navigation: bool,
    ) -> Flow<std::result::Result<(), String>> {
        let open = self.open_step()?;
        let text = format!("launch {}", self.ports.driver.info().target);
        self.here = None;
        let launched = self.ports.driver.launch().await;
        let (receipt, mut trouble) = match launched {
            Ok(receipt) => (Some(receipt), None),
            Err(error) => (None, Some(error)),
        };
        self.count_ordinal(receipt.as_ref().map(|receipt| receipt.ordinal));
        let mut settled = None;
        if trouble.is_none() {
            match self.settle(patient(self.config.settle), None).await {
                Ok(record) => settled = Some(record),
                Err(error) => trouble = Some(error),
            }
        }
        let crashes = self.query().await;
        let after = self.after_picture(settled.is_some()).await;
        let own = |crash: &&crate::Crash| self.ledger.attribute(crash, open.index) == open.index;
        let crashed = crashes
            .iter()
            .filter(own)
            .any(|crash| crash.severity == crate::Severity::Crash);
        let died = crashes.iter().filter(own).any(|crash| crash.ends_path);
        let confirmed = receipt.as_ref().is_some_and(crate::Receipt::is_ok);
        let started = confirmed && trouble.is_none() && !died && self.is_in_front();
        let to = self
            .here
            .as_ref()
            .filter(|_| started)
            .and_then(Here::target_page);
        if let Some(page) = &to {
            self.graph.set_launch_page(page);
        }
        if settled
            .as_ref()
            .is_some_and(|record| record.outcome == Settle::Unsettled)
        {
            self.tally.unsettled_steps.push(open.index);
        }
        let refusal = receipt.as_ref().filter(|receipt| !receipt.is_ok());
        let why = match (&trouble, refusal.and_then(|receipt| receipt.reason.clone())) {
            (_, Some(reason)) => reason,
            (Some(error), None) => error.to_string(),
            (None, None) => {
                let place = self.here.as_ref().map_or("nothing", Here::front);
                format!("in front is {place}")
            }
        };
        self.last_step = Some(LastStep {
            from: None,
            to: to.clone(),
            replay: Some(Replay::Launch),
            text: text.clone(),
            crashed,
        });
        let notes = StepNotes {
            replay: Some(Replay::Launch),
            page_to: to,
            navigation,
            code: code(receipt.as_ref(), trouble.as_ref()),
            receipt,
            settle: settled,
            ..self.notes()
        };
        let record = StepRecord {
            index: open.index,
            action: text,
            result: if started && !crashed {
                StepResult::Ok
            } else {
                StepResult::Fail
            },
            notes,
        };
        self.conclude(open, &record, None, after, crashes)?;
        if let Some(error) = trouble.filter(|error| !error.is_recoverable()) {
            return Err(self.give_up(&error));
        }
        if died {
            self.ledger
                .force_failure(codes.crashed, "the app crashed while it was started");
            return Err(Ended::Aborted);
        }
        Ok(if started { Ok(()) } else { Err(why) })
    }

    /// Whether the app, or a question of the system about it, is in front.
    fn is_in_front(&self) -> bool {
        self.here.as_ref().is_some_and(|here| {
            matches!(
                here.place,
                Place::Target | Place::Permission | Place::Undetermined
            )
        })
    }
}

/// After a launch the first quiet moment is often that of a splash screen.
fn patient(policy: SettlePolicy) -> SettlePolicy {
    SettlePolicy {
        quiet: policy.quiet.max(policy.post_quiet),
        ..policy
    }
}
