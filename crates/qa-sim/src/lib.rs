//! Simulated apps behind the ports of qa-core.
