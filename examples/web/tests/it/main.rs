//! The server over real sockets.

mod client;
mod hostile;
mod shop;
