//! A running app: its clock, its screens in front of each other, and what happened.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use qa_core::{Crash, CrashKind, Notice, Signature};

use crate::app::{Aftermath, Condition, Effect, Element, Fault, Input, Screen, SimApp};
use crate::probe::Occurrence;

/// A field of a screen: the screen's name and the element's.
pub(crate) type FieldId = (String, String);

/// How an app is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Never launched, or ended.
    Stopped,
    /// Its front screen is on the device's screen.
    Running,
    /// It died; the launcher is in front.
    Launcher,
    /// It died with its window.
    Gone,
    /// It does not answer.
    Hung,
}

/// Effects that wait for their time.
#[derive(Debug, Clone)]
struct Pending {
    at: Duration,
    cause: u64,
    effects: Vec<Effect>,
}

/// A running app.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) app: SimApp,
    pub(crate) now: Duration,
    pub(crate) ordinal: u64,
    pub(crate) launches: u64,
    pub(crate) life: Life,
    pub(crate) counters: BTreeMap<String, i64>,
    pub(crate) fields: BTreeMap<FieldId, String>,
    pub(crate) invalid: BTreeSet<FieldId>,
    pub(crate) watching: bool,
    pub(crate) evidence: Vec<Crash>,
    pub(crate) notices: Vec<Notice>,
    pub(crate) occurrences: Vec<Occurrence>,
    pub(crate) touches: BTreeMap<String, u64>,
    stack: Vec<String>,
    /// How far the front screen is scrolled down.
    pub(crate) scrolled: f64,
    entered_at: Duration,
    visits: BTreeMap<String, u32>,
    pending: Vec<Pending>,
}

impl World {
    pub(crate) fn new(app: SimApp) -> Self {
        Self {
            app,
            now: Duration::ZERO,
            ordinal: 0,
            launches: 0,
            life: Life::Stopped,
            counters: BTreeMap::new(),
            fields: BTreeMap::new(),
            invalid: BTreeSet::new(),
            watching: false,
            evidence: Vec::new(),
            notices: Vec::new(),
            occurrences: Vec::new(),
            touches: BTreeMap::new(),
            stack: Vec::new(),
            scrolled: 0.0,
            entered_at: Duration::ZERO,
            visits: BTreeMap::new(),
            pending: Vec::new(),
        }
    }

    /// Ends the app; what it would still have done never happens.
    pub(crate) fn end(&mut self, life: Life) {
        self.life = life;
        self.pending.clear();
        self.stack.clear();
    }

    /// Starts it from a clean state, as action number `ordinal`.
    pub(crate) fn launch(&mut self) {
        self.end(Life::Running);
        self.launches += 1;
        self.counters.clear();
        self.fields.clear();
        self.invalid.clear();
        self.visits.clear();
        self.restart(self.ordinal);
    }

    fn restart(&mut self, cause: u64) {
        self.stack.clear();
        self.pending.clear();
        let start = self.app.start.clone();
        self.stack.push(start);
        self.run(&self.app.on_launch.clone(), cause);
        self.entered(cause);
    }

    /// The screen in front, if the app shows one.
    pub(crate) fn front(&self) -> Option<&Screen> {
        self.stack.last().and_then(|id| self.app.find(id))
    }

    /// Whether the way into the front screen is still animated.
    pub(crate) fn is_animating(&self) -> bool {
        let span = self.front().map_or(0, |screen| screen.animation_ms);
        self.now < self.entered_at + Duration::from_millis(span)
    }

    /// Lets app time pass; what is due happens at its own time.
    pub(crate) fn advance(&mut self, span: Duration) {
        let end = self.now + span;
        while self.life == Life::Running {
            let next = (0..self.pending.len())
                .filter(|&index| self.pending[index].at <= end)
                .min_by_key(|&index| (self.pending[index].at, index));
            let Some(index) = next else { break };
            let due = self.pending.remove(index);
            self.now = due.at;
            self.run(&due.effects, due.cause);
        }
        self.now = end;
    }

    /// Makes effects happen, until one of them ends the app.
    pub(crate) fn run(&mut self, effects: &[Effect], cause: u64) {
        for effect in effects {
            if self.life != Life::Running {
                return;
            }
            self.happen(effect, cause);
        }
    }

    fn happen(&mut self, effect: &Effect, cause: u64) {
        match effect {
            Effect::Go(screen) => {
                self.stack.push(screen.clone());
                self.entered(cause);
            }
            Effect::Replace(screen) => {
                self.stack.pop();
                self.stack.push(screen.clone());
                self.entered(cause);
            }
            Effect::Back => self.back(cause),
            Effect::Restart => self.restart(cause),
            Effect::Set(counter, value) => {
                self.counters.insert(counter.clone(), *value);
            }
            Effect::Add(counter, by) => *self.counters.entry(counter.clone()).or_default() += by,
            Effect::After(ms, effects) => self.pending.push(Pending {
                at: self.now + Duration::from_millis(*ms),
                cause,
                effects: effects.clone(),
            }),
            Effect::When(condition, effects) => {
                if self.holds(condition) {
                    self.run(effects, cause);
                }
            }
            Effect::IfValid(effects) => {
                if self.validate() {
                    self.run(effects, cause);
                }
            }
            Effect::Notice(notice) => self.notices.push(notice.clone()),
            Effect::Fault(name) => self.fail(name, cause),
        }
    }

    /// One step back; from the first screen, out of the app.
    pub(crate) fn back(&mut self, cause: u64) {
        if self.front().is_some_and(|screen| screen.back_ignored) {
            return;
        }
        self.stack.pop();
        if self.stack.is_empty() {
            self.end(Life::Launcher);
        } else {
            self.entered(cause);
        }
    }

    /// Another screen, by a formal navigation.
    pub(crate) fn navigate(&mut self, screen: &str, cause: u64) {
        self.stack.push(screen.to_owned());
        self.entered(cause);
    }

    fn entered(&mut self, cause: u64) {
        self.entered_at = self.now;
        self.scrolled = 0.0;
        let Some(screen) = self.front() else { return };
        let (id, effects) = (screen.id.clone(), screen.on_enter.clone());
        *self.visits.entry(id).or_default() += 1;
        self.run(&effects, cause);
    }

    pub(crate) fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::AtLeast(counter, value) => self.counter(counter) >= *value,
            Condition::Visited(screen, times) => {
                self.visits.get(screen).copied().unwrap_or(0) >= *times
            }
            Condition::Filled(screen, field) => self
                .fields
                .get(&(screen.clone(), field.clone()))
                .is_some_and(|value| !value.is_empty()),
            Condition::Not(inner) => !self.holds(inner),
        }
    }

    pub(crate) fn counter(&self, name: &str) -> i64 {
        if name == "launches" {
            return i64::try_from(self.launches).unwrap_or(i64::MAX);
        }
        self.counters.get(name).copied().unwrap_or(0)
    }

    /// What a field of the front screen holds.
    pub(crate) fn field_value(&self, screen: &str, element: &Element, input: &Input) -> String {
        self.fields
            .get(&(screen.to_owned(), element.id.clone()))
            .cloned()
            .unwrap_or_else(|| input.initial.clone())
    }

    /// Marks the fields of the front screen that the app rejects; true if there is none.
    fn validate(&mut self) -> bool {
        let Some(screen) = self.front() else {
            return true;
        };
        let judged: Vec<(FieldId, bool)> = screen
            .all_elements()
            .into_iter()
            .filter_map(|element| {
                let input = element.input.as_ref()?;
                let value = self.field_value(&screen.id, element, input);
                let id = (screen.id.clone(), element.id.clone());
                Some((id, is_valid(input, &value)))
            })
            .collect();
        let all_valid = judged.iter().all(|(_, valid)| *valid);
        for (id, valid) in judged {
            if valid {
                self.invalid.remove(&id);
            } else {
                self.invalid.insert(id);
            }
        }
        all_valid
    }

    fn fail(&mut self, name: &str, cause: u64) {
        let Some(fault) = self.app.faults.get(name).cloned() else {
            return;
        };
        let screen = self.stack.last().cloned().unwrap_or_default();
        self.occurrences.push(Occurrence {
            fault: name.to_owned(),
            cause,
            after_action: self.ordinal,
            at: self.now,
        });
        if self.watching {
            let crash = evidence(name, &fault, &screen, self.ordinal, self.now);
            self.evidence.push(crash);
        }
        match fault.leaves {
            Aftermath::Running => {}
            Aftermath::Launcher => self.end(Life::Launcher),
            Aftermath::Gone => self.end(Life::Gone),
            Aftermath::Hung => {
                self.life = Life::Hung;
                self.pending.clear();
            }
        }
    }
}

/// Whether a value passes the checks of its field.
fn is_valid(input: &Input, value: &str) -> bool {
    if value.is_empty() {
        return !input.required;
    }
    match input.kind.as_str() {
        "email" => value
            .split_once('@')
            .is_some_and(|(user, host)| !user.is_empty() && host.contains('.')),
        "number" => value.parse::<i64>().is_ok_and(|number| {
            input.min.is_none_or(|min| number >= min) && input.max.is_none_or(|max| number <= max)
        }),
        _ => true,
    }
}

fn evidence(name: &str, fault: &Fault, screen: &str, ordinal: u64, now: Duration) -> Crash {
    let exception = match fault.kind {
        CrashKind::Anr | CrashKind::Hang => "Input dispatching timed out",
        CrashKind::Native => "signal 11 (SIGSEGV)",
        _ => "java.lang.IllegalStateException",
    };
    Crash {
        kind: fault.kind,
        severity: fault.kind.severity(),
        signature: Signature(format!("{}|{name}", fault.kind)),
        label: format!("{}: {}", fault.kind, fault.message),
        stack: format!("{exception}: {}\n\tat {name}({screen}.kt:1)", fault.message),
        count: 1,
        after_action: Some(ordinal),
        place: Some(screen.to_owned()),
        at: now,
        ends_path: fault.leaves != Aftermath::Running,
    }
}
