//! Walking the path to a crash again, with nothing but what the session stored.

use qa_core::{
    Action, CrashWatch as _, Driver as _, ElementKey, Observation, ObserveRequest, Projection,
    Replay, SettlePolicy, Severity, Signature, Target, settle,
};
use qa_drivers::cdp::{CdpDriver, CdpOptions, CdpWatch};
use qa_report::{Session, StoredCrash, StoredStep};

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
    /// others.
    async fn walk(&mut self, session: &Session, path: &[u32]) {
        for index in path {
            let step = &session.steps[*index as usize - 1];
            let Some(replay) = &step.record.notes.replay else {
                continue;
            };
            self.perform(replay, step).await;
            let seen = self.crashes().await;
            let stored = session
                .crashes
                .iter()
                .filter(|crash| crash.step_index == *index);
            let stored: Vec<&Signature> =
                stored.map(|crash: &StoredCrash| &crash.signature).collect();
            let seen: Vec<&Signature> = seen.iter().collect();
            assert_eq!(seen, stored, "after step {index}, {:?}", step.record.action);
        }
    }

    async fn perform(&mut self, replay: &Replay, step: &StoredStep) {
        let what = || format!("step {}, {:?}", step.record.index, step.record.action);
        let acted = match replay {
            Replay::Launch => {
                self.view = None;
                self.driver.launch().await
            }
            _ => self.driver.act(&self.action(replay, &what())).await,
        };
        let Ok(receipt) = acted else {
            // The page is gone or does not answer: what to make of that is for the evidence.
            return;
        };
        assert!(receipt.dispatched, "{}: {receipt:?}", what());
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
            before.as_ref(),
            ObserveRequest::JUDGING,
            &mut self.may_widen,
        )
        .await;
        if let Ok(settled) = settled {
            self.watch.judge_view(&settled.view);
            self.view = Some((settled.view, settled.projection));
        }
    }

    /// What to do for a stored step, to the elements that are there now.
    fn action(&self, replay: &Replay, what: &str) -> Action {
        let target = |key: &ElementKey| {
            let (view, _) = self.view.as_ref().unwrap();
            let node = view
                .find(key)
                .unwrap_or_else(|| panic!("{what}: there is no {key} at {:?}", view.url));
            Target {
                node_ref: node.node_ref.clone(),
                key: key.clone(),
            }
        };
        match replay {
            Replay::Launch => unreachable!("a launch is no action"),
            Replay::Tap { element_key } => Action::Tap {
                target: target(element_key),
            },
            Replay::InputText {
                element_key,
                input_value,
                ..
            } => Action::Fill {
                target: target(element_key),
                text: input_value
                    .clone()
                    .unwrap_or_else(|| panic!("{what}: the text was withheld")),
            },
            Replay::Select {
                element_key,
                option,
            } => Action::Select {
                target: target(element_key),
                option: option.clone(),
            },
            Replay::PressKey { element_key, key } => Action::Press {
                target: element_key.as_ref().map(target),
                key: key.clone(),
            },
            Replay::PressButton { button } => {
                assert_eq!(button, "BACK", "{what}");
                Action::Back
            }
            Replay::Scroll {
                element_key,
                dx,
                dy,
            } => Action::Scroll {
                target: element_key.as_ref().map(target),
                dx: *dx,
                dy: *dy,
            },
            Replay::Navigate { url } => Action::Navigate { url: url.clone() },
        }
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
