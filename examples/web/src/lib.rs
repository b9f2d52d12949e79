//! Bundled web apps with known faults, and the server that serves them.
