//! One formal step: act, settle, judge, record (sections G to J).

use std::sync::Arc;

use super::deed::Deed;
use super::here::Here;
use super::run::{Flow, LastStep, Run};
use crate::{
    Crash, DriverError, EdgeInfo, Fingerprint, Picture, Receipt, ReceiptStatus, Settle,
    SettleRecord, Severity, StepNotes, StepRecord, StepResult,
};

/// What a step did, as far as the caller must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Done {
    /// The app runs on the same path; otherwise it was started again.
    pub(super) alive: bool,
    /// It was done, as far as its receipt says.
    pub(super) confirmed: bool,
}

impl Run<'_> {
    /// Takes one formal step. When the app does not survive it, it is started again.
    pub(super) async fn perform(&mut self, deed: Deed) -> Flow<Done> {
        let open = self.open_step()?;
        let before = self.here.take();
        let from = before.as_ref().and_then(Here::target_page);

        // G: act.
        let acted = self.ports.driver.act(&deed.action).await;
        let (receipt, mut trouble) = split(acted);
        self.count_ordinal(receipt.as_ref().map(|receipt| receipt.ordinal));
        let dispatched = receipt.as_ref().is_none_or(|receipt| receipt.dispatched);
        let confirmed = receipt.as_ref().is_some_and(Receipt::is_ok);
        self.actions += u32::from(dispatched && deed.is_exercise());

        // H: what was tried is not tried again, whatever came of it.
        if let (Some(page), Some(trial)) = (&from, &deed.trial) {
            self.graph.mark_seen(page, trial);
        }

        // I: see what became of it.
        let mut settled = None;
        let before_picture = before.as_ref().and_then(|here| here.picture.clone());
        if trouble.is_none() && dispatched {
            let projection = before.as_ref().map(|here| here.projection);
            match self.settle(self.config.settle, projection).await {
                Ok(record) => settled = Some(record),
                Err(error) => trouble = Some(error),
            }
        } else if trouble.is_none() {
            self.here = before.map(|here| Here {
                is_new: false,
                ..here
            });
        }

        // J: judge and record.
        let crashes = self.query().await;
        let after_picture = self.after_picture(settled.is_some()).await;
        let crashed = crashes.iter().any(|crash| {
            crash.severity == Severity::Crash
                && self.ledger.attribute(crash, open.index) == open.index
        });
        let ends_path = crashes.iter().any(|crash| crash.ends_path);
        let done = trouble.is_none() && is_done(receipt.as_ref(), settled.as_ref());
        let result = if done && !crashed {
            StepResult::Ok
        } else {
            StepResult::Fail
        };
        let to = self
            .here
            .as_ref()
            .filter(|_| !ends_path && trouble.is_none())
            .and_then(Here::target_page);
        self.record_edge(&deed, from.as_ref(), to.as_ref(), (done, crashed));
        if settled
            .as_ref()
            .is_some_and(|record| record.outcome == Settle::Unsettled)
        {
            self.tally.unsettled_steps.push(open.index);
        }
        self.last_step = Some(LastStep {
            from: from.clone(),
            to: to.clone(),
            replay: dispatched.then(|| deed.replay.clone()),
            text: deed.text.clone(),
            crashed,
        });
        let notes = StepNotes {
            replay: dispatched.then_some(deed.replay),
            page_from: from,
            page_to: to,
            navigation: deed.navigation,
            non_replayable: !dispatched,
            code: code(receipt.as_ref(), trouble.as_ref()),
            receipt,
            settle: settled,
            touched: deed.touched,
            ..self.notes()
        };
        let record = StepRecord {
            index: open.index,
            action: deed.text,
            result,
            notes,
        };
        self.conclude(open, &record, before_picture, after_picture, crashes)?;
        self.survive(trouble, ends_path)
            .await
            .map(|alive| Done { alive, confirmed })
    }

    /// Stores a step, then its evidence.
    pub(super) fn conclude(
        &mut self,
        open: crate::OpenStep,
        record: &StepRecord,
        before: Option<Arc<Picture>>,
        after: Option<Arc<Picture>>,
        crashes: Vec<Crash>,
    ) -> Flow<()> {
        self.store(
            open,
            record,
            (before.as_deref(), after.as_deref()),
            crashes.len(),
        )?;
        self.file(crashes, record.index)?;
        Ok(())
    }

    /// Starts the app again if it did not survive a step. Says whether it did.
    async fn survive(&mut self, trouble: Option<DriverError>, ends_path: bool) -> Flow<bool> {
        match trouble {
            Some(error) if !error.is_recoverable() => Err(self.give_up(&error)),
            None if !ends_path => Ok(true),
            _ => {
                self.recover(false).await?;
                Ok(false)
            }
        }
    }

    /// The picture after a step; it is also the one before the next.
    pub(super) async fn after_picture(&mut self, is_seen_anew: bool) -> Option<Arc<Picture>> {
        if is_seen_anew {
            self.take_picture().await;
        }
        self.here.as_ref().and_then(|here| here.picture.clone())
    }

    /// What notes say of the page that is in front now, and of what happened beside it.
    pub(super) fn notes(&mut self) -> StepNotes {
        let notices = self.take_notices();
        let view = self.here.as_ref().map(|here| &here.view);
        StepNotes {
            url: view.and_then(|view| view.url.clone()),
            observation: view.map(crate::page_summary),
            incomplete: view
                .map(|view| &view.completeness)
                .filter(|completeness| completeness.truncated)
                .cloned(),
            notices,
            app_ms: self.app_ms(),
            ..StepNotes::default()
        }
    }

    fn record_edge(
        &mut self,
        deed: &Deed,
        from: Option<&Fingerprint>,
        to: Option<&Fingerprint>,
        (done, crashed): (bool, bool),
    ) {
        let (Some(from), Some(to)) = (from, to) else {
            return;
        };
        if from == to {
            return;
        }
        let edge = EdgeInfo {
            from: from.clone(),
            replay: deed.replay.clone(),
            action: deed.text.clone(),
            to: to.clone(),
            at_ms: self.app_ms(),
            via_screenshot: false,
            late: false,
            failed: !done,
            // The app has survived it: what is behind can still be reached this way.
            crashed,
        };
        self.graph.record_edge(edge);
    }
}

fn split(acted: Result<Receipt, DriverError>) -> (Option<Receipt>, Option<DriverError>) {
    match acted {
        Ok(receipt) => (Some(receipt), None),
        Err(error) => (None, Some(error)),
    }
}

/// Whether a step was done. An acknowledgement that got lost is made good by a view that changed.
fn is_done(receipt: Option<&Receipt>, settled: Option<&SettleRecord>) -> bool {
    let changed = settled.is_some_and(|record| record.outcome == Settle::Changed);
    receipt.is_some_and(|receipt| match receipt.status {
        ReceiptStatus::Ok => true,
        ReceiptStatus::Unknown => changed,
        ReceiptStatus::Rejected | ReceiptStatus::Failed => false,
    })
}

/// Why a step was not done, as a stable code.
pub(super) fn code(receipt: Option<&Receipt>, trouble: Option<&DriverError>) -> Option<String> {
    match trouble {
        Some(error) => Some(error.code().to_owned()),
        None => receipt.and_then(|receipt| receipt.code.clone()),
    }
}
