//! The session directory: writing it while a run goes on, and reading it back.

mod abandon;
mod directory;
mod limit;
mod line;
mod lines;
mod lock;
mod meta;
mod replay;
mod resume;
mod schema;
mod session;
mod veil;
mod writer;

pub(crate) use directory::{Directory, create_private};
pub(crate) use limit::{REPORT_BYTES, check};
pub(crate) use lock::{Lock, PATIENCE, REPORTS};
pub(crate) use writer::is_session_id;

pub use abandon::abandon;
pub use line::{StoredCrash, StoredStep};
pub use meta::{ConfigSetup, DriverSetup, Meta, SESSION_SCHEMA, Setup, timestamp};
pub use replay::{write_picture, write_replay};
pub use resume::Resumed;
pub use session::{Session, SessionError};
pub use writer::{SessionStart, SessionWriter};
