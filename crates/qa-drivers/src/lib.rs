//! Drivers for real apps behind the ports of qa-core; they never decide what to do next.
