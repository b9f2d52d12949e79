//! One writer at a time, across processes (EXP-177).

use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, Instant};

use super::Directory;

/// The lock of a session.
pub(crate) const SESSION: &str = "lock";
/// The lock of what is made anew beside a session that may still be running: its reports.
pub(crate) const REPORTS: &str = "reports.lock";
/// So long a lock is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(25);

/// A lock that is held. The system takes it back when its holder dies, so that of a dead owner is
/// simply free.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
    name: &'static str,
}

impl Lock {
    /// Takes a lock, and waits for it if another process holds it.
    pub(crate) fn take(
        root: &Directory,
        name: &'static str,
        patience: Duration,
    ) -> io::Result<Self> {
        let began = Instant::now();
        loop {
            let file = root.lock_file(name)?;
            match file.try_lock() {
                // Whoever held it before may have removed the name that was opened.
                Ok(()) if root.is_named(&file, name) => return Ok(Self { _file: file, name }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if began.elapsed() < patience => {
                    std::thread::sleep(POLL);
                }
                Err(TryLockError::WouldBlock) => {
                    let reason = "held by another process";
                    return Err(io::Error::new(io::ErrorKind::WouldBlock, reason));
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Gives it back and leaves nothing behind. One that is only dropped leaves an empty file.
    pub(crate) fn release(self, root: &Directory) {
        root.remove(self.name);
    }

    /// Whether another process holds it, or another part of this one.
    pub(crate) fn is_held(root: &Directory, name: &str) -> bool {
        root.has(name)
            && root
                .lock_file(name)
                .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-177
    #[test]
    fn a_lock_is_held_once_and_free_when_its_holder_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let root = Directory::open(dir.path()).unwrap();
        let first = Lock::take(&root, SESSION, Duration::ZERO).unwrap();
        assert!(Lock::is_held(&root, SESSION));
        let second = Lock::take(&root, SESSION, Duration::ZERO).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        assert!(
            Lock::take(&root, REPORTS, Duration::ZERO).is_ok(),
            "it is another one"
        );
        // As a killed process leaves it: the file is there, the lock is not.
        drop(first);
        assert!(root.has(SESSION) && !Lock::is_held(&root, SESSION));
        let third = Lock::take(&root, SESSION, Duration::ZERO).unwrap();
        third.release(&root);
        assert!(!root.has(SESSION));
    }

    #[test]
    fn only_one_of_many_that_wait_holds_it() {
        let dir = tempfile::tempdir().unwrap();
        let inside = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let root = Directory::open(dir.path()).unwrap();
                    for _ in 0..20 {
                        let lock = Lock::take(&root, SESSION, PATIENCE).unwrap();
                        let others = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        assert_eq!(others, 0);
                        inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                        lock.release(&root);
                    }
                });
            }
        });
    }
}
