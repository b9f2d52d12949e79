//! A run whose process is killed.

use std::io::{BufRead as _, BufReader, Read as _};

use qa_core::{Archive as _, Inputs, StepNotes, StepRecord, StepResult};
use qa_redact::{Redactor, RedactorConfig};
use qa_report::{Resumed, Session, SessionWriter};

use crate::program::Place;

// EXP-050, EXP-179, D-11: what was acknowledged is stored, and the session can go on
#[test]
fn no_step_is_lost_that_was_acknowledged() {
    for after in [1, 2, 3, 5, 8, 13, 21] {
        let place = Place::new();
        let demo = ["demo", "--sim", "--max-steps", "200", "--out", "out"];
        let mut child = place.qa(&demo).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut seen = String::new();
        while acknowledged(&seen) < after {
            assert_ne!(lines.read_line(&mut seen).unwrap(), 0, "it ended: {seen}");
        }
        child.kill().unwrap();
        lines.read_to_string(&mut seen).unwrap();
        child.wait().unwrap();
        let said = acknowledged(&seen);

        let dir = place.session().unwrap();
        let read = Session::read(&dir).unwrap();
        assert!(!read.live && !read.is_finished());
        // One more may have been stored that nobody was told of.
        assert!((said..=said + 1).contains(&read.steps.len()), "{seen}");
        qa_report::render(&read).unwrap();

        let redactor = Redactor::new(RedactorConfig::default()).unwrap();
        let Resumed {
            mut writer,
            session,
            graph,
            ..
        } = SessionWriter::resume(&dir, redactor).unwrap();
        assert_eq!(session.steps.len(), read.steps.len());
        assert_eq!(session.crashes.len(), read.crashes.len());
        let config = session.meta.extra.config.to_config(Inputs::Synthetic);
        assert_eq!(config.max_steps, 200);
        let next = StepRecord {
            index: u32::try_from(session.steps.len()).unwrap() + 1,
            action: "launch com.example.shop".into(),
            result: StepResult::Ok,
            notes: StepNotes::default(),
        };
        writer.step(&next, None, None).unwrap();
        writer.graph(&graph).unwrap();
    }
}

/// Steps that the program has said to be done; the last line may be cut off.
fn acknowledged(stderr: &str) -> usize {
    let lines = stderr
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    let is_step = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|word| word.parse::<u32>().is_ok())
            && matches!(words.next(), Some("ok" | "FAIL" | "skip"))
    };
    lines.filter(is_step).count()
}
