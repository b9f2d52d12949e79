//! An archive that keeps everything in memory.

use qa_core::{Archive, ArchiveError, CrashRecord, Outcome, Picture, StateGraph, StepRecord};

/// An archive that keeps everything in memory, for tests and for embedders that want no files.
///
/// It refuses what an archive on disk must refuse: a gap in the numbers of steps, a crash without
/// its step, anything after the end.
#[derive(Debug, Clone, Default)]
pub struct MemoryArchive {
    /// The steps.
    pub steps: Vec<StepRecord>,
    /// For each step, the sizes in bytes of the pictures before and after it.
    pub pictures: Vec<(Option<usize>, Option<usize>)>,
    /// The crashes.
    pub crashes: Vec<CrashRecord>,
    /// The findings.
    pub findings: Vec<CrashRecord>,
    /// The end of the run.
    pub outcome: Option<Outcome>,
    /// The graph at the end of the run.
    pub graph: Option<StateGraph>,
    /// How many crash records are taken before one cannot be stored; all, if absent.
    pub crashes_until_full: Option<usize>,
    /// How many findings are taken before one cannot be stored; all, if absent.
    pub findings_until_full: Option<usize>,
    /// How many steps are taken before one cannot be stored; all, if absent.
    pub steps_until_full: Option<usize>,
}

impl MemoryArchive {
    /// The step with a number.
    #[must_use]
    pub fn step(&self, index: u32) -> Option<&StepRecord> {
        self.steps.iter().find(|step| step.index == index)
    }

    fn refuse<T>(what: &str, reason: impl Into<String>) -> Result<T, ArchiveError> {
        Err(ArchiveError {
            what: what.into(),
            reason: reason.into(),
        })
    }

    fn check_crash(&self, what: &str, crash: &CrashRecord) -> Result<(), ArchiveError> {
        if self.outcome.is_some() {
            return Self::refuse(what, "the run has ended");
        }
        if self.step(crash.step_index).is_none() {
            return Self::refuse(what, format!("there is no step {}", crash.step_index));
        }
        Ok(())
    }
}

impl Archive for MemoryArchive {
    fn step(
        &mut self,
        step: &StepRecord,
        before: Option<&Picture>,
        after: Option<&Picture>,
    ) -> Result<(), ArchiveError> {
        if self.outcome.is_some() {
            return Self::refuse("the step", "the run has ended");
        }
        if self.steps_until_full == Some(self.steps.len()) {
            return Self::refuse("the step", "no space left");
        }
        let expected = self.steps.len() + 1;
        if usize::try_from(step.index) != Ok(expected) {
            return Self::refuse("the step", format!("{} is not {expected}", step.index));
        }
        let size = |picture: Option<&Picture>| picture.map(|picture| picture.image.bytes.len());
        self.steps.push(step.clone());
        self.pictures.push((size(before), size(after)));
        Ok(())
    }

    fn crash(&mut self, crash: &CrashRecord) -> Result<(), ArchiveError> {
        self.check_crash("the crash", crash)?;
        if self.crashes_until_full == Some(self.crashes.len()) {
            return Self::refuse("the crash", "no space left");
        }
        self.crashes.push(crash.clone());
        Ok(())
    }

    fn finding(&mut self, finding: &CrashRecord) -> Result<(), ArchiveError> {
        self.check_crash("the finding", finding)?;
        if self.findings_until_full == Some(self.findings.len()) {
            return Self::refuse("the finding", "no space left");
        }
        self.findings.push(finding.clone());
        Ok(())
    }

    fn graph(&mut self, graph: &StateGraph) -> Result<(), ArchiveError> {
        self.graph = Some(graph.clone());
        Ok(())
    }

    fn finish(&mut self, outcome: &Outcome, graph: &StateGraph) -> Result<(), ArchiveError> {
        if self.outcome.is_some() {
            return Self::refuse("the end", "the run has ended already");
        }
        self.outcome = Some(outcome.clone());
        self.graph = Some(graph.clone());
        Ok(())
    }
}
