//! What goes to the two streams: data to stdout, words for people to stderr. Words pass redaction,
//! whoever said them; data is made of what has passed it.

use std::io::{ErrorKind, Write};
use std::sync::{PoisonError, RwLock};

use qa_redact::{Redactor, RedactorConfig};

use crate::exit::Failure;

/// The origins of the addresses in our own examples and hints.
const EXAMPLES: [&str; 2] = ["http://127.0.0.1:8000", "https://login.example.com"];

/// What is known of the run's secrets and addresses, once something is known.
static REDACTOR: RwLock<Option<Redactor>> = RwLock::new(None);

/// From now on words are judged by what this redactor knows.
pub(crate) fn use_redactor(redactor: &Redactor) {
    let mut known = REDACTOR.write().unwrap_or_else(PoisonError::into_inner);
    *known = Some(redactor.clone());
}

/// A text without what must not be printed (RED-078).
pub(crate) fn safe(text: &str) -> String {
    let plain = || {
        Redactor::new(RedactorConfig {
            allowed_origins: EXAMPLES.map(str::to_owned).to_vec(),
            ..RedactorConfig::default()
        })
    };
    let known = REDACTOR.read().unwrap_or_else(PoisonError::into_inner);
    let redactor = known.clone().map_or_else(plain, Ok);
    match redactor.and_then(|redactor| redactor.text(text)) {
        Ok(safe) => safe.into_string(),
        Err(error) => format!("(withheld: {})", error.code()),
    }
}

/// Prints data to stdout, with a line end. A reader who has seen enough and closed the stream
/// (`qa … | head -1`) is no failure: what is left is not said, and the command ends with the code
/// that belongs to its work. Data that could not be written for another reason is a failure, for
/// somebody waits for it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_to(&mut std::io::stdout().lock(), text)
}

fn print_to(stream: &mut impl Write, text: &str) -> Result<(), Failure> {
    let written = stream
        .write_all(text.as_bytes())
        .and_then(|()| stream.write_all(b"\n"))
        .and_then(|()| stream.flush());
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::internal(format!(
            "stdout could not be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Says something to people on stderr. When nobody can hear it, nothing is lost.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", safe(text));
}

/// Writes data to stderr that is safe already, as a report in JSON whose keys are words of its own.
pub(crate) fn tell(safe: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{safe}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that fails.
    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _bytes: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Err(self.0.into())
        }
    }

    // RED-078
    #[test]
    fn words_pass_redaction() {
        assert_eq!(
            safe("error: this is wrong: token=88aa"),
            "error: this is wrong: token=[REDACTED]"
        );
        let hint = "such as --url http://127.0.0.1:8000/";
        assert_eq!(safe(hint), hint);
    }

    #[test]
    fn only_a_reader_who_left_is_no_failure() {
        let mut whole = Vec::new();
        assert_eq!(print_to(&mut whole, "two\nlines"), Ok(()));
        assert_eq!(whole, b"two\nlines\n");
        assert_eq!(print_to(&mut Broken(ErrorKind::BrokenPipe), "x"), Ok(()));
        let full = print_to(&mut Broken(ErrorKind::StorageFull), "x");
        assert_eq!(full.map_err(|failure| failure.code), Err(70));
    }
}
