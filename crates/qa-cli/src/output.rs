//! What goes to the two streams: data to stdout, words for people to stderr.

use std::io::{ErrorKind, Write};

use crate::exit::Failure;

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
    let _ = writeln!(std::io::stderr().lock(), "{text}");
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
