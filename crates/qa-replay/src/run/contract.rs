//! Which contract of a driver is understood (REP-008, REP-009).

use qa_core::{DriverInfo, Platform};

/// The code of a driver whose contract is another one.
pub(crate) const UNSUPPORTED_CONTRACT: &str = "DRIVER_CONTRACT_UNSUPPORTED";

/// Why a driver is not used: another contract may change what an observation means, an older one
/// as well as a newer one.
pub(crate) fn contract_refusal(info: &DriverInfo) -> Option<String> {
    let (what, supported) = match info.platform {
        Platform::Web => ("browsers", 9),
        Platform::Android => ("Android devices", 1),
        Platform::Ios => ("iOS devices", 1),
    };
    let found = info.contract;
    (found != supported).then(|| {
        format!("its driver keeps contract {found} of {what}, but only {supported} is supported")
    })
}
