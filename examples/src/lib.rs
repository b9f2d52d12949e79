//! Runnable examples, each of which embeds one layer.
