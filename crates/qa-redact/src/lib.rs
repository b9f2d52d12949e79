//! Fail-closed redaction: the only maker of values that may be stored or printed.
