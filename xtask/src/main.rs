//! Project tasks: test, corpus, bench, soak.
fn main() {}
