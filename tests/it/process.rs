//! What runs on this machine and belongs to a run of `qa`.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// A process, told apart from a later one with the same number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    id: u32,
    /// In clock ticks since the system began.
    started: u64,
    name: String,
}

/// One line of the table of processes.
struct Row {
    process: Process,
    parent: u32,
}

/// Everything that runs; what has ended and only waits to be collected does not.
fn table() -> Vec<Row> {
    let entries = std::fs::read_dir("/proc").unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name());
    names
        .filter_map(|name| row(name.to_str()?.parse().ok()?))
        .collect()
}

/// The row of a process that runs. The fields are those of proc(5).
fn row(id: u32) -> Option<Row> {
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name stands in brackets and may hold any character.
    let (head, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let process = Process {
        id,
        started: fields[19].parse().ok()?,
        name: head.split_once('(')?.1.to_owned(),
    };
    let parent = fields[1].parse().ok()?;
    (!matches!(fields[0], "Z" | "X")).then_some(Row { process, parent })
}

/// The processes below one, at any depth.
pub(crate) fn descendants(root: u32) -> BTreeSet<Process> {
    let table = table();
    let mut found = BTreeSet::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for row in table.iter().filter(|row| row.parent == parent) {
            open.push(row.process.id);
            found.insert(row.process.clone());
        }
    }
    found
}

/// Those of some processes that still run, and all whose command line or environment names a
/// directory.
pub(crate) fn left_over(of: &BTreeSet<Process>, dir: &Path) -> BTreeSet<Process> {
    let dir = dir.to_str().unwrap();
    let names_dir = |id: u32, file: &str| {
        std::fs::read(format!("/proc/{id}/{file}"))
            .is_ok_and(|text| String::from_utf8_lossy(&text).contains(dir))
    };
    let running = table().into_iter().map(|row| row.process);
    running
        .filter(|process| {
            let names_dir = |file| names_dir(process.id, file);
            of.contains(process) || names_dir("cmdline") || names_dir("environ")
        })
        .collect()
}

/// Looks again and again until there is something to see.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    const DEADLINE: Duration = Duration::from_secs(60);
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(
            began.elapsed() < DEADLINE,
            "waited {DEADLINE:?} in vain: {what}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}
