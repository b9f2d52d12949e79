//! Reads crash evidence and gives it an identity; performs no I/O.
