//! UTF-16 as Windows tools write it, turned into UTF-8 before any rule reads it.

use std::fmt::Write as _;

/// How the bytes of a stream are read; its first two tell.
#[derive(Debug, Default)]
pub(crate) enum Encoding {
    /// Not known yet: fewer than two bytes have come.
    #[default]
    Unknown,
    /// The first byte may be half of a mark.
    Half(u8),
    Utf8,
    Utf16 {
        is_little: bool,
        /// A byte without its second.
        byte: Option<u8>,
        /// The first half of a pair.
        surrogate: Option<u16>,
    },
}

impl Encoding {
    /// Appends `bytes` to `out` as UTF-8; bytes that are no UTF-16 at all pass as they are.
    pub(crate) fn decode(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Utf8 => out.extend_from_slice(bytes),
            Self::Utf16 { .. } => bytes.iter().for_each(|byte| self.push(*byte, out)),
            Self::Unknown | Self::Half(_) => {
                let mut rest = bytes;
                while let Some((byte, behind)) = rest.split_first() {
                    rest = behind;
                    let utf16 = |is_little| Self::Utf16 {
                        is_little,
                        byte: None,
                        surrogate: None,
                    };
                    *self = match (&self, byte) {
                        (Self::Unknown, 0xFE | 0xFF) => Self::Half(*byte),
                        (Self::Half(0xFF), 0xFE) => utf16(true),
                        (Self::Half(0xFE), 0xFF) => utf16(false),
                        (Self::Half(first), _) => {
                            out.extend([*first, *byte]);
                            Self::Utf8
                        }
                        _ => {
                            out.push(*byte);
                            Self::Utf8
                        }
                    };
                    if !matches!(self, Self::Half(_)) {
                        break;
                    }
                }
                if !rest.is_empty() {
                    self.decode(rest, out);
                }
            }
        }
    }

    /// Appends what is left when nothing more comes.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        match self {
            Self::Half(byte) => out.push(*byte),
            Self::Utf16 {
                byte, surrogate, ..
            } => {
                if let Some(unit) = surrogate.take() {
                    lone(unit, out);
                }
                out.extend(byte.take());
            }
            Self::Unknown | Self::Utf8 => {}
        }
        *self = Self::Utf8;
    }

    fn push(&mut self, next: u8, out: &mut Vec<u8>) {
        let Self::Utf16 {
            is_little,
            byte,
            surrogate,
        } = self
        else {
            return;
        };
        let Some(first) = byte.take() else {
            *byte = Some(next);
            return;
        };
        let unit = if *is_little {
            u16::from_le_bytes([first, next])
        } else {
            u16::from_be_bytes([first, next])
        };
        let high = surrogate.take();
        let units = [high, Some(unit)];
        for decoded in char::decode_utf16(units.into_iter().flatten()) {
            match decoded {
                Ok(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(error) if (0xD800..0xDC00).contains(&error.unpaired_surrogate()) => {
                    // Only the second unit can still find its other half.
                    if error.unpaired_surrogate() == unit && surrogate.is_none() {
                        *surrogate = Some(unit);
                    } else {
                        lone(error.unpaired_surrogate(), out);
                    }
                }
                Err(error) => lone(error.unpaired_surrogate(), out),
            }
        }
    }
}

/// Half of a pair, visible (RED-017).
fn lone(unit: u16, out: &mut Vec<u8>) {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "\\u{unit:04X}");
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(chunks: &[&[u8]]) -> Vec<u8> {
        let (mut encoding, mut out) = (Encoding::default(), Vec::new());
        for chunk in chunks {
            encoding.decode(chunk, &mut out);
        }
        encoding.finish(&mut out);
        out
    }

    fn utf16(text: &str, is_little: bool) -> Vec<u8> {
        let units = [0xFEFF].into_iter().chain(text.encode_utf16());
        units
            .flat_map(|unit| {
                if is_little {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn utf16_with_a_mark_is_read_whatever_the_chunks() {
        // RED-TRAP-03
        for is_little in [true, false] {
            let bytes = utf16("password=tülip😀\r\n", is_little);
            for at in 0..bytes.len() {
                let (a, b) = bytes.split_at(at);
                assert_eq!(decode(&[a, b]), "password=tülip😀\r\n".as_bytes(), "{at}");
            }
        }
    }

    #[test]
    fn halves_of_pairs_are_visible_and_other_bytes_pass() {
        // RED-017
        let units = [0xFEFF, 0xD83D, 0xD83D, 0xDE00, 0xDE00, 0x61, 0xD83D_u16];
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        assert_eq!(decode(&[&bytes]), "\\uD83D😀\\uDE00a\\uD83D".as_bytes());
        assert_eq!(decode(&[b"\xFF", b"a", b"\xFE"]), b"\xFFa\xFE");
        assert_eq!(decode(&[b"\xFF"]), b"\xFF");
        assert_eq!(decode(&[b"", b"plain"]), b"plain");
    }
}
