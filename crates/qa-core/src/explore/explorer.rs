//! The exploration loop.

use std::convert::Infallible;

use super::deed::Deed;
use super::form::{Filling, submits};
use super::here::{Here, Look};
use super::history::History;
use super::perform::Done;
use super::pick::{Move, WayOut, way_out};
use super::run::{Flow, Ports, Run};
use crate::{
    Back, Candidate, ElementKey, Ended, ExploreConfig, Fingerprint, Outcome, Place, Replay,
    WatchState, permission_allow, recheck,
};

/// Explores an app until nothing unseen is within reach, a limit is met or something forbids to go
/// on; then asks for the last evidence, ends the watch, stores the end of the run and stops the
/// driver, in this order and once on every path.
///
/// Equal answers from the ports give an equal sequence of calls.
pub async fn explore<'a>(config: &'a ExploreConfig, ports: Ports<'a>) -> Outcome {
    Run::new(config, ports).go().await
}

/// Goes on with a run whose process died: its numbers go on, its limits hold for both together,
/// and the first step is a new start of the app (D-11). The archive must hold what the history
/// tells.
pub async fn resume<'a>(config: &'a ExploreConfig, ports: Ports<'a>, history: History) -> Outcome {
    let mut run = Run::new(config, ports);
    run.take_up(history);
    run.go().await
}

impl Run<'_> {
    async fn go(mut self) -> Outcome {
        let run = &mut self;
        let config = run.config;
        if let Err(error) = config.validate() {
            run.ledger.abort("INVALID_CONFIG", error.to_string());
            return self.finish(Ended::Aborted, false).await;
        }
        if !run.begin_watch().await {
            return self.finish(Ended::Aborted, false).await;
        }
        let ended = match run.walk().await {
            Err(ended) => ended,
            Ok(never) => match never {},
        };
        self.finish(ended, true).await
    }

    /// Begins to collect evidence; without it nothing is launched (EXP-053).
    async fn begin_watch(&mut self) -> bool {
        let started = self.ports.watch.start().await;
        let failure = match (started, self.ports.watch.state()) {
            (Err(error), _) => error.reason,
            (Ok(()), WatchState::Running) => return true,
            (Ok(()), WatchState::Failed(reason)) => reason,
            (Ok(()), WatchState::Stopped) => "the crash watch did not start".into(),
        };
        self.ledger.capture_failed(failure);
        false
    }

    /// Section 8, until something ends it.
    async fn walk(&mut self) -> Flow<Infallible> {
        if self.is_resumed {
            self.recover(false).await?;
        } else {
            self.launch().await?;
        }
        loop {
            self.guard()?;
            let look = self.look().await?;
            if look == Look::Nothing || self.late_crashes().await? {
                continue;
            }
            if look == Look::Changed {
                self.late_edge();
            }
            match self.place() {
                Place::Target => self.explore_page().await?,
                Place::Permission => self.permission().await?,
                Place::Foreign => self.left_app().await?,
                Place::Launcher => self.recover(false).await?,
                Place::Undetermined => self.undetermined().await?,
            }
        }
    }

    /// Who owns what is in front.
    fn place(&mut self) -> Place {
        let place = self
            .here
            .as_ref()
            .map_or(Place::Undetermined, |here| here.place);
        if place != Place::Undetermined {
            self.looks_undetermined = 0;
        }
        if place == Place::Target {
            self.back_tried = false;
        }
        place
    }

    /// One move on a page of the app.
    async fn explore_page(&mut self) -> Flow<()> {
        match self.decide() {
            Move::Try(candidate) => self.try_candidate(&candidate).await,
            Move::Walk(hop) if hop.replay == Replay::Launch => self.recover(true).await,
            Move::Walk(hop) => {
                if let Some(deed) = self.hop(&hop) {
                    self.perform(deed).await?;
                } else if let Some(here) = &mut self.here {
                    // What the hop needs is gone: the navigator sees that we are where we were.
                    here.is_new = false;
                }
                Ok(())
            }
            Move::Visit(url) => {
                self.rounds = 0;
                self.perform(Deed::navigate(&url)).await.map(drop)
            }
            Move::Exhausted => self.exhausted().await,
        }
    }

    /// Tries one candidate. What belongs to a form is filled before it is sent; where the app then
    /// still offers to send and shows fields that are empty or rejected, those are filled and it is
    /// sent once more (WEB-060).
    async fn try_candidate(&mut self, candidate: &Candidate) -> Flow<()> {
        self.rounds = 0;
        let Some(here) = &self.here else {
            return Ok(());
        };
        let page = here.page.clone();
        if !submits(candidate, &here.view) {
            return self.touch(&page, candidate).await.map(drop);
        }
        if self
            .fill_form(&candidate.key, Filling::Empty)
            .await?
            .is_none()
        {
            return Ok(());
        }
        let sent = self.touch(&page, candidate).await?;
        // What may have arrived is not sent again.
        if !sent.is_some_and(|sent| sent.alive && sent.confirmed) {
            return Ok(());
        }
        let filled = self.fill_form(&candidate.key, Filling::Rejected).await?;
        if filled.is_some_and(|fields| fields > 0) {
            self.touch(&page, candidate).await?;
        }
        Ok(())
    }

    /// Does what a candidate proposes, unless the rules forbid it by now (EXP-022).
    async fn touch(&mut self, page: &Fingerprint, candidate: &Candidate) -> Flow<Option<Done>> {
        let Some(here) = &self.here else {
            return Ok(None);
        };
        self.graph.mark_seen(page, &candidate.trial);
        match recheck(&here.view, candidate, &self.boundary, &self.blocklist) {
            Ok(index) => {
                self.vain_starts = 0;
                let deed = Deed::of(candidate, &here.view.nodes[index]);
                self.perform(deed).await.map(Some)
            }
            Err(refusal) => {
                if refusal.rule != "gone" {
                    self.tally.refuse(&refusal);
                }
                Ok(None)
            }
        }
    }

    /// Nothing unseen is within reach (EXP-120 to EXP-122).
    async fn exhausted(&mut self) -> Flow<()> {
        self.rounds += 1;
        let last = self.last_step.as_ref();
        let just_launched = last.is_some_and(|last| last.replay == Some(Replay::Launch));
        match way_out(self.rounds, self.config.navigation, just_launched) {
            WayOut::Back => self.step_back().await,
            WayOut::Relaunch => self.recover(false).await,
            WayOut::End => Err(Ended::Exhausted),
        }
    }

    async fn step_back(&mut self) -> Flow<()> {
        let deed = match self.ports.driver.info().back {
            Back::Action => Some(Deed::back()),
            Back::Element => self.back_element().map(Deed::into_hop),
        };
        match deed {
            Some(deed) => self.perform(deed).await.map(drop),
            None => self.recover(false).await,
        }
    }

    /// Another app or site is in front: one step back, then a new start (EXP-125).
    async fn left_app(&mut self) -> Flow<()> {
        if let Some(here) = &self.here {
            let front = here.front().to_owned();
            self.tally.foreign(&front);
        }
        if self.back_tried || self.ports.driver.info().back != Back::Action {
            return self.recover(false).await;
        }
        self.back_tried = true;
        self.perform(Deed::back()).await.map(drop)
    }

    /// The system asks for a permission: it is granted once (EXP-127, EXP-128).
    async fn permission(&mut self) -> Flow<()> {
        match self.allow() {
            Some(deed) => self.perform(deed).await.map(drop),
            None => self.left_app().await,
        }
    }

    fn allow(&mut self) -> Option<Deed> {
        let here = self.here.as_ref()?;
        let index = permission_allow(&here.view)?;
        let node = here.view.nodes.get(index)?;
        if self.blocklist.hit(&node.name).is_some() || !self.asked.insert(question(here)) {
            return None;
        }
        let key = ElementKey::of(here.view.platform, node);
        Some(Deed::tap(node, &key))
    }
}

/// What a dialog says, all in all.
fn question(here: &Here) -> String {
    let names: Vec<_> = here
        .view
        .nodes
        .iter()
        .map(|node| node.name.as_str())
        .collect();
    names.join("\n")
}
