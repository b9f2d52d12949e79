//! The page in front: looking at it, and knowing it again.

use std::sync::Arc;
use std::time::Duration;

use super::run::{Flow, Run};
use crate::{
    Candidate, CandidateAction, Candidates, Capability, Clock, DriverError, EdgeInfo, ElementKey,
    Ended, Fingerprint, Observation, PageInfo, PageKind, Picture, Place, Projection, Replay,
    candidates, fingerprint, page_summary, skeleton,
};

/// The page in front, as it was when it came to rest.
#[derive(Debug, Clone)]
pub(super) struct Here {
    pub(super) view: Observation,
    pub(super) projection: Projection,
    pub(super) place: Place,
    pub(super) page: Fingerprint,
    /// What may be tried on it; nothing where it is not the app's.
    pub(super) found: Candidates,
    /// It was never seen before.
    pub(super) is_new: bool,
    /// It never came to rest, so that no two looks at it are equal.
    pub(super) is_restless: bool,
    pub(super) picture: Option<Arc<Picture>>,
    /// App time of the look.
    pub(super) seen_at: Duration,
}

impl Here {
    /// The page, where it is one of the app's.
    pub(super) fn target_page(&self) -> Option<Fingerprint> {
        (self.place == Place::Target).then(|| self.page.clone())
    }

    /// What can be tried, in the words of the state graph.
    pub(super) fn offered(&self) -> Vec<ElementKey> {
        let trial = |candidate: &Candidate| candidate.trial.clone();
        self.found.offered.iter().map(trial).collect()
    }

    /// Who is in front, as exactly as the platform says.
    pub(super) fn front(&self) -> &str {
        let url = self.view.url.as_deref();
        url.or(self.view.front.as_deref()).unwrap_or("unknown")
    }
}

/// What a look at the start of a round found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The page is as it was left.
    Same,
    /// It changed meanwhile, or was not known.
    Changed,
    /// The app had to be started again, or nothing could be seen.
    Nothing,
}

impl Run<'_> {
    /// Takes a view for the page in front and, if it is the app's, stores it in the graph.
    pub(super) fn adopt(&mut self, view: Observation, projection: Projection, is_restless: bool) {
        let mut here = self.survey(view, projection);
        here.is_restless = is_restless;
        if here.place == Place::Target {
            for refusal in &here.found.refused {
                self.tally.refuse(refusal);
            }
            let info = PageInfo {
                kind: PageKind::Page,
                summary: Some(page_summary(&here.view)),
                skeleton: Some(skeleton(&here.view)),
                screenshot: None,
                at_ms: self.app_ms(),
            };
            here.is_new = self.graph.visit(&here.page, info, &here.offered());
            self.navigator.seen(&here.page);
            if here.is_new {
                self.vain_starts = 0;
                self.tally.duplicates += here.found.duplicates;
            }
        }
        self.here = Some(here);
    }

    /// What a view is, and what may be tried on it.
    fn survey(&self, view: Observation, projection: Projection) -> Here {
        let place = self.boundary.place(&view);
        let mut found = Candidates::default();
        if place == Place::Target {
            found = candidates(&view, &self.boundary, &self.blocklist, &self.config.inputs);
            let can = |candidate: &Candidate| self.can(capability(&candidate.action));
            found.offered.retain(can);
        }
        Here {
            projection,
            place,
            page: fingerprint(&view, &self.boundary, self.config.page_identity),
            found,
            is_new: false,
            is_restless: false,
            picture: None,
            seen_at: self.ports.driver.now(),
            view,
        }
    }

    /// Looks at what is in front before anything is done (EXP-061 to EXP-065). Where no app time
    /// has passed since the last look, nothing can have changed.
    pub(super) async fn look(&mut self) -> Flow<Look> {
        if let Some(before) = &self.here {
            if is_fresh(self.clock, before.seen_at, self.ports.driver.now()) {
                return Ok(Look::Same);
            }
            let request = self.ports.driver.info().nodes.judging();
            if let Ok(view) = self.ports.driver.observe(request).await {
                let projection = Projection::of(&view);
                let now = self.survey(view, projection);
                if let Some(before) = self.here.take_if(|before| is_same(before, &now)) {
                    self.here = Some(Here {
                        is_restless: before.is_restless,
                        picture: before.picture,
                        ..now
                    });
                    return Ok(Look::Same);
                }
            }
        }
        match self.settle(self.config.settle, None).await {
            Ok(_) => {
                self.looks_failed = 0;
                self.take_picture().await;
                Ok(Look::Changed)
            }
            Err(error) => self.cannot_look(&error).await,
        }
    }

    /// A screen that cannot be read: the app is started again, or looked at again, or given up.
    async fn cannot_look(&mut self, error: &DriverError) -> Flow<Look> {
        const PATIENCE: u32 = 3;
        self.here = None;
        if !error.is_recoverable() {
            return Err(self.give_up(error));
        }
        if let DriverError::Protocol { .. } = error {
            self.looks_failed += 1;
            if self.looks_failed >= PATIENCE {
                return Err(self.give_up(error));
            }
            self.pause().await?;
            return Ok(Look::Nothing);
        }
        self.recover(false).await?;
        Ok(Look::Nothing)
    }

    /// Evidence that turned up between two steps belongs to the last one (EXP-066). Says whether
    /// the app had to be started again.
    pub(super) async fn late_crashes(&mut self) -> Flow<bool> {
        let crashes = self.query().await;
        let ends_path = crashes.iter().any(|crash| crash.ends_path);
        self.file(crashes, self.ledger.last_completed())?;
        if ends_path {
            self.recover(false).await?;
        }
        Ok(ends_path)
    }

    /// A page that came after its action had been taken for done: the edge is added (EXP-082).
    pub(super) fn late_edge(&mut self) {
        let (Some(here), Some(last)) = (&self.here, &self.last_step) else {
            return;
        };
        let Some(page) = here
            .target_page()
            .filter(|page| last.to.as_ref() != Some(page))
        else {
            return;
        };
        match (&last.from, &last.replay) {
            (_, Some(Replay::Launch)) => self.graph.set_launch_page(&page),
            (Some(from), Some(replay)) if *from != page => {
                let edge = EdgeInfo {
                    from: from.clone(),
                    replay: replay.clone(),
                    action: last.text.clone(),
                    to: page,
                    at_ms: self.app_ms(),
                    via_screenshot: false,
                    late: true,
                    failed: false,
                    crashed: last.crashed,
                };
                self.graph.record_edge(edge);
            }
            _ => {}
        }
    }

    /// Lets a little app time pass.
    pub(super) async fn pause(&mut self) -> Flow<()> {
        let span = self.ports.driver.info().poll_interval;
        match self.ports.driver.advance(span).await {
            Ok(_) => Ok(()),
            Err(error) if error.is_recoverable() => Ok(()),
            Err(error) => Err(self.give_up(&error)),
        }
    }

    /// Nobody can tell who is in front: nothing is touched, and after three looks the run is given
    /// up (22.3).
    pub(super) async fn undetermined(&mut self) -> Flow<()> {
        const PATIENCE: u32 = 3;
        self.looks_undetermined += 1;
        if self.looks_undetermined >= PATIENCE {
            self.ledger.abort(
                "FOREGROUND_UNKNOWN",
                "nobody can tell which app is in front",
            );
            return Err(Ended::Aborted);
        }
        self.here = None;
        self.pause().await
    }
}

/// Whether a view is certainly as it was: on a virtual clock only passing time changes a screen.
fn is_fresh(clock: Clock, seen_at: Duration, now: Duration) -> bool {
    clock == Clock::Virtual && seen_at == now
}

/// Whether a page is as it was left. One that never rests is known by its identity.
fn is_same(before: &Here, now: &Here) -> bool {
    let whole = now.view.animating.is_empty() && !now.view.completeness.truncated;
    let equal = before.projection == now.projection;
    whole && (equal || before.is_restless && before.place == now.place && before.page == now.page)
}

/// What a device must be able to do for a candidate.
fn capability(action: &CandidateAction) -> Capability {
    match action {
        CandidateAction::Tap => Capability::Tap,
        CandidateAction::Enter => Capability::Press,
        CandidateAction::Select { .. } => Capability::Select,
    }
}
