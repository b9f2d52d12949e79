//! Files of JSON lines.

use std::fs::File;
use std::io::{self, Write as _};

use qa_redact::Redacted;
use serde_json::Value;

use super::{Directory, limit};

/// The bytes of a file up to the end of its last whole line.
pub(super) fn whole_lines(bytes: &[u8]) -> u64 {
    let last = bytes.iter().rposition(|byte| *byte == b'\n');
    last.map_or(0, |last| last as u64 + 1)
}

/// A file of JSON lines that only grows.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    pub(super) count: usize,
    bytes: u64,
}

impl Lines {
    /// Goes on behind what is there.
    pub(super) fn open(directory: &Directory, name: &str) -> io::Result<Self> {
        Self::open_behind(directory, name, 0)
    }

    /// Goes on behind so many lines. What is left of a line that was cut off is taken away.
    pub(super) fn open_behind(directory: &Directory, name: &str, count: usize) -> io::Result<Self> {
        let file = directory.append(name)?;
        let bytes = whole_lines(&directory.read(name, limit::LINES_BYTES as u64)?);
        if bytes < file.metadata()?.len() {
            file.set_len(bytes)?;
            file.sync_data()?;
        }
        Ok(Self { file, count, bytes })
    }

    /// Appends a line with one write and makes it durable; what is left of a write that failed is
    /// taken back.
    pub(super) fn append(&mut self, line: &Redacted<Value>) -> io::Result<()> {
        let mut text = line.to_line().into_string();
        text.push('\n');
        let bytes = self.bytes + text.len() as u64;
        if bytes > limit::LINES_BYTES as u64 {
            let reason = format!("{bytes} bytes are over the limit of {}", limit::LINES_BYTES);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
        }
        let written = self
            .file
            .write_all(text.as_bytes())
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            let _ = self.file.set_len(self.bytes);
            return Err(error);
        }
        self.bytes = bytes;
        self.count += 1;
        Ok(())
    }
}
