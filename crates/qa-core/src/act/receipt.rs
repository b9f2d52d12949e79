//! What the device acknowledged.

use serde::{Deserialize, Serialize};

/// What the device acknowledged of an action.
///
/// A refusal is a receipt, not an error. Only a new observation says what the action did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// How it ended.
    pub status: ReceiptStatus,
    /// A stable code (`TARGET_OBSCURED`, …) where it is not `Ok`.
    pub code: Option<String>,
    /// One sentence for people.
    pub reason: Option<String>,
    /// Whether any input reached the app.
    pub dispatched: bool,
    /// How many actions (launches included) this driver has begun, this one included. Evidence of
    /// a crash carries the same count and so finds its action.
    pub ordinal: u64,
}

/// How an action ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReceiptStatus {
    /// Its dispatch was confirmed.
    #[serde(rename = "confirmed")]
    Ok,
    /// It may or may not have reached the app. Never sent again.
    Unknown,
    /// Refused before anything was sent, by a rule.
    Rejected,
    /// Could not be done.
    Failed,
}

impl Receipt {
    /// A confirmed dispatch.
    #[must_use]
    pub fn ok(ordinal: u64) -> Self {
        Self {
            status: ReceiptStatus::Ok,
            code: None,
            reason: None,
            dispatched: true,
            ordinal,
        }
    }

    /// Anything else; `dispatched` is true for [`ReceiptStatus::Unknown`], and left to the driver
    /// where input reached the app and the wanted effect did not come.
    #[must_use]
    pub fn not_ok(
        status: ReceiptStatus,
        ordinal: u64,
        code: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            status,
            code: Some(code.into()),
            reason: Some(reason.into()),
            dispatched: status == ReceiptStatus::Unknown,
            ordinal,
        }
    }

    /// Whether its dispatch was confirmed.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.status == ReceiptStatus::Ok
    }
}
