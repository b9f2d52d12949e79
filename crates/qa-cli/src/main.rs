//! The qa command line.
fn main() {}
