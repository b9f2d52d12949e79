//! `qa redact`: logs and records without their secrets, before they are attached to a ticket.

mod format;
mod report;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use qa_drivers::cdp::origin_of;
use qa_redact::{RedactionError, Redactor, Tally};
use serde_json::Value;

use self::format::{Format, Guess};
use self::report::{Entry, Report};
use super::{secret, session};
use crate::args::RedactArgs;
use crate::exit::{self, Failure};
use crate::output;

/// How much is read at once.
const CHUNK: usize = 256 << 10;
/// A line of JSON that is longer becomes one marker.
const MAX_LINE: u64 = 16 << 20;
const MARKER_LINE: &str = "\"[REDACTED]\"";

pub(crate) fn run(args: &RedactArgs) -> Result<u8, Failure> {
    let redactor = redactor(args)?;
    let stdin = [PathBuf::from("-")];
    let files = if args.files.is_empty() {
        &stdin[..]
    } else {
        &args.files
    };
    let place = args
        .report
        .as_ref()
        .and_then(|path| path.canonicalize().ok());
    if place.is_some() && files.iter().any(|file| file.canonicalize().ok() == place) {
        let message = "--report is one of the files to be redacted";
        return Err(Failure::usage(message).hint("give another file"));
    }
    let mut report = Report::default();
    // A fault withholds what it was about, as any other failure does (RED-081).
    let done = catch_unwind(AssertUnwindSafe(|| {
        files
            .iter()
            .try_for_each(|file| redact(file, args, &redactor, &mut report))
    }));
    let done = done.unwrap_or_else(|_| Err(Stop::Failed(Failure::internal("withheld"))));
    if args.report.is_some() || args.json {
        report.write(args, &redactor)?;
    }
    match done {
        // Who has seen enough closes the stream.
        Ok(()) | Err(Stop::NobodyReads) => Ok(exit::PASS),
        Err(Stop::Failed(failure)) => Err(failure),
    }
}

fn redactor(args: &RedactArgs) -> Result<Redactor, Failure> {
    let mut origins = Vec::new();
    for origin in &args.allow_origin {
        let web = origin.starts_with("http://") || origin.starts_with("https://");
        let Some(known) = origin_of(origin).filter(|_| web) else {
            return Err(
                Failure::usage(format!("--allow-origin {origin} is no http(s) origin"))
                    .hint("such as --allow-origin https://shop.example.com"),
            );
        };
        origins.push(known);
    }
    session::redactor(&origins, &secret::register(&args.secrets)?)
}

/// Why nothing more is written.
#[derive(Debug)]
enum Stop {
    NobodyReads,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn redact(
    file: &Path,
    args: &RedactArgs,
    redactor: &Redactor,
    report: &mut Report,
) -> Result<(), Stop> {
    let name = if file == Path::new("-") {
        "stdin".to_owned()
    } else {
        file.display().to_string()
    };
    let unreadable = |error: std::io::Error| {
        let failure = Failure::usage(format!("{name} cannot be read: {error}"));
        failure.hint("give files that exist and that you may read, or `-` for stdin")
    };
    let input: Box<dyn Read> = if name == "stdin" && file == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        if file.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()).into());
        }
        Box::new(File::open(file).map_err(unreadable)?)
    };
    let mut input = BufReader::with_capacity(CHUNK, input);
    let format = match Format::named(args.format, file) {
        Guess::Sure(format) => format,
        Guess::ByContent => {
            let begin = input.fill_buf().map_err(unreadable)?;
            Format::of(begin)
        }
    };
    let mut filter = Filter {
        redactor,
        name: &name,
        tally: Tally::default(),
        is_withheld: false,
    };
    let done = match format {
        Format::Text => filter.text(&mut input),
        Format::Jsonl => filter.lines(&mut input),
        Format::Json | Format::Har => filter.document(&mut input, format),
    };
    report.add(Entry {
        name: output::safe(&name),
        format,
        is_withheld: filter.is_withheld,
        tally: filter.tally,
    });
    done
}

struct Filter<'r> {
    redactor: &'r Redactor,
    name: &'r str,
    tally: Tally,
    is_withheld: bool,
}

impl Filter<'_> {
    fn text(&mut self, input: &mut impl BufRead) -> Result<(), Stop> {
        let mut stream = self.redactor.stream();
        let done = loop {
            let bytes = input.fill_buf().map_err(|error| self.unreadable(&error))?;
            let count = bytes.len();
            let safe = if count == 0 {
                stream.finish()
            } else {
                stream.push(bytes)
            };
            let done = safe
                .map_err(|error| self.withheld(error))
                .and_then(|safe| write(safe.as_str()));
            input.consume(count);
            if count == 0 || done.is_err() {
                break done;
            }
        };
        self.tally = stream.tally().clone();
        if done.is_ok() && stream.is_withheld() {
            self.is_withheld = true;
            let message = format!(
                "{}: a key or a quoted value has no end within 16 MiB, so all from there on is one marker",
                self.name
            );
            let failure = Failure::internal(message);
            return Err(failure
                .hint("see where the last line of the output begins")
                .into());
        }
        done
    }

    fn lines(&mut self, input: &mut impl BufRead) -> Result<(), Stop> {
        let mut line = Vec::new();
        for number in 1u64.. {
            line.clear();
            let mut limited = input.by_ref().take(MAX_LINE);
            limited
                .read_until(b'\n', &mut line)
                .map_err(|error| self.unreadable(&error))?;
            if line.is_empty() {
                break;
            }
            if !line.ends_with(b"\n") && line.len() as u64 == MAX_LINE {
                input
                    .skip_until(b'\n')
                    .map_err(|error| self.unreadable(&error))?;
                write(&format!("{MARKER_LINE}\n"))?;
                continue;
            }
            if line.trim_ascii().is_empty() {
                write("\n")?;
                continue;
            }
            let value: Value = serde_json::from_slice(&line).map_err(|error| {
                let place = format!("line {number}, column {}", error.column());
                self.not_json(&place, "JSON lines")
            })?;
            let safe = self.redactor.json_tallied(&value, &mut self.tally);
            let safe = safe.map_err(|error| self.withheld(error))?;
            write(safe.to_line().as_str())?;
            write("\n")?;
        }
        Ok(())
    }

    fn document(&mut self, input: &mut impl Read, format: Format) -> Result<(), Stop> {
        let mut bytes = Vec::new();
        input
            .read_to_end(&mut bytes)
            .map_err(|error| self.unreadable(&error))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            self.not_json(&place, "one JSON document")
        })?;
        let safe = match format {
            Format::Har => self.redactor.archive_tallied(&value, &mut self.tally),
            _ => self.redactor.json_tallied(&value, &mut self.tally),
        };
        let safe = safe.map_err(|error| self.withheld(error))?;
        let is_indented = bytes.trim_ascii_end().contains(&b'\n');
        let safe = if is_indented {
            safe.to_pretty()
        } else {
            safe.to_line()
        };
        write(safe.as_str())?;
        write("\n")
    }

    fn unreadable(&self, error: &std::io::Error) -> Failure {
        Failure::usage(format!("{} cannot be read on: {error}", self.name))
    }

    /// The parser's own message could quote the file.
    fn not_json(&self, place: &str, what: &str) -> Failure {
        Failure::usage(format!("{} is not {what} at {place}", self.name))
            .hint("repair it, or take it as lines of text: --format text")
    }

    fn withheld(&mut self, error: RedactionError) -> Stop {
        self.is_withheld = true;
        let message = format!("{}: {}: {error}", self.name, error.code());
        let hint = "nothing from there on was written; a registered secret may be part of the word REDACTED, or two \
                    keys may become equal";
        Failure::internal(message).hint(hint).into()
    }
}

/// Writes data as it is.
fn write(text: &str) -> Result<(), Stop> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Stop::NobodyReads,
        _ => Failure::internal(format!("stdout could not be written: {error}")).into(),
    })
}

/// Kept here, since a report that could not be written is no success.
fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::usage(format!("--report={}: {error}", path.display()))
            .hint("give a file in a directory that you may write to")
    };
    std::fs::write(path, format!("{text}\n")).map_err(failed)
}

/// Says it, or writes it where the report goes.
fn deliver(args: &RedactArgs, text: &str) -> Result<(), Failure> {
    match &args.report {
        Some(path) if path != Path::new("-") => write_file(path, text),
        _ => {
            output::tell(text);
            Ok(())
        }
    }
}
