//! The ports: how the engine reaches the world.

mod archive;
mod crash_watch;
mod driver;
mod evidence;
mod progress;
mod vision;

pub use archive::{Archive, ArchiveError};
pub use crash_watch::{CrashWatch, WatchError, WatchState};
pub use driver::{
    Advanced, Clock, Driver, DriverError, DriverInfo, Image, NodeBudget, Notice, ObserveRequest,
};
pub use evidence::{ConsoleLine, Dropped, Evidence, Exchange};
pub use progress::{Progress, Silent, StopSignal};
pub use vision::{Advice, AdvisorError, Opinion, VisionAdvisor};
