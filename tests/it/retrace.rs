//! Walking the path to a crash again, with nothing but what the session stored.

use qa_core::{
    Action, Awaited, CrashWatch as _, Driver as _, ElementKey, Observation, ObserveRequest,
    Projection, Replay, SettlePolicy, Severity, Signature, Target, settle,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions, CdpWatch};
use qa_report::Session;

/// Walks to every crash of a session. Crashes on one path are met on one walk: the way to the first
/// of them is the beginning of the way to the last.
pub(crate) async fn retrace(url: &str, session: &Session) {
    let mut walker = Walker::open(url).await;
    for (position, crash) in session.crashes.iter().enumerate() {
        let next = session.crashes.get(position + 1);
        let is_on_the_way_to_next =
            next.is_some_and(|next| next.repro_path.starts_with(&crash.repro_path));
        if !is_on_the_way_to_next {
            walker.walk(session, &crash.repro_path).await;
        }
    }
    walker.driver.stop().await.unwrap();
}

struct Walker {
    driver: CdpDriver,
    watch: CdpWatch,
    view: Option<(Observation, Projection)>,
    may_widen: bool,
}

impl Walker {
    async fn open(url: &str) -> Self {
        let (driver, mut watch) = CdpDriver::open(CdpOptions::new(url)).await.unwrap();
        watch.start().await.unwrap();
        Self {
            driver,
            watch,
            view: None,
            may_widen: true,
        }
    }

    /// Does the steps of a path, and sees the crashes that the session has of each of them, and no
    /// others. What cannot be done again is left out, as a person would; the crash must happen all
    /// the same.
    async fn walk(&mut self, session: &Session, path: &[u32]) {
        for index in path {
            let step = &session.steps[*index as usize - 1];
            let is_done = match &step.record.notes.replay {
                Some(replay) => self.perform(replay).await,
                None => false,
            };
            let seen = self.crashes().await;
            let stored = session.crashes.iter();
            let stored: Vec<Signature> = stored
                .filter(|crash| crash.step_index == *index)
                .map(|crash| crash.signature.clone())
                .collect();
            let action = &step.record.action;
            assert_eq!(
                seen, stored,
                "after step {index} ({action}), done: {is_done}"
            );
        }
    }

    /// Does a step and waits for what comes of it. Says whether it could be done.
    async fn perform(&mut self, replay: &Replay) -> bool {
        let acted = match replay {
            Replay::Launch => {
                self.view = None;
                self.driver.launch().await
            }
            _ => match self.action(replay) {
                Some(action) => self.driver.act(&action).await,
                None => return false,
            },
        };
        let Ok(receipt) = acted else {
            // The page is gone or does not answer: what to make of that is for the evidence.
            return true;
        };
        let policy = match replay {
            Replay::Launch => SettlePolicy {
                quiet: SettlePolicy::EXPLORE.post_quiet,
                ..SettlePolicy::EXPLORE
            },
            _ => SettlePolicy::EXPLORE,
        };
        let before = self.view.as_ref().map(|(_, projection)| *projection);
        let settled = settle(
            &mut self.driver,
            &policy,
            &Awaited {
                before,
                ..Awaited::default()
            },
            ObserveRequest::JUDGING,
            &mut self.may_widen,
        )
        .await;
        if let Ok(settled) = settled {
            self.watch.judge_view(&settled.view);
            self.view = Some((settled.view, settled.projection));
        }
        receipt.dispatched
    }

    /// What to do for a stored step, to the elements that are there now; nothing if one is missing,
    /// or if the text was withheld.
    fn action(&self, replay: &Replay) -> Option<Action> {
        let target = |key: &ElementKey| {
            let (view, _) = self.view.as_ref()?;
            view.find(key).map(|node| Target {
                node_ref: node.node_ref.clone(),
                key: key.clone(),
            })
        };
        let target_if_any = |key: &Option<ElementKey>| match key {
            Some(key) => target(key).map(Some),
            None => Some(None),
        };
        Some(match replay {
            Replay::Launch => unreachable!("a launch is no action"),
            Replay::Tap { element_key } => Action::Tap {
                target: target(element_key)?,
            },
            Replay::InputText {
                element_key,
                input_value,
                ..
            } => Action::Fill {
                target: target(element_key)?,
                text: input_value.clone()?,
            },
            Replay::Select {
                element_key,
                option,
            } => Action::Select {
                target: target(element_key)?,
                option: option.clone(),
            },
            Replay::PressKey { element_key, key } => Action::Press {
                target: target_if_any(element_key)?,
                key: key.clone(),
            },
            Replay::PressButton { button } => {
                assert_eq!(button, "BACK");
                Action::Back
            }
            Replay::Scroll {
                element_key,
                dx,
                dy,
            } => Action::Scroll {
                target: target_if_any(element_key)?,
                dx: *dx,
                dy: *dy,
            },
            Replay::Navigate { url } => Action::Navigate { url: url.clone() },
        })
    }

    /// The identities of the crashes since the last step.
    async fn crashes(&mut self) -> Vec<Signature> {
        let crashes = self.watch.query().await.unwrap();
        let crashes = crashes
            .into_iter()
            .filter(|crash| crash.severity == Severity::Crash);
        crashes.map(|crash| crash.signature).collect()
    }
}
