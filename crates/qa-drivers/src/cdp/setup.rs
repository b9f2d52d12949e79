//! What is switched on in a session before its page runs.

use std::time::Duration;

use serde_json::json;

use super::transport::{CallError, Connection};
use super::walker;

/// Name of the isolated world that the walker lives in.
pub(crate) const WORLD: &str = "qa";

/// How long a command of the set-up may take.
pub(crate) const SETUP_DEADLINE: Duration = Duration::from_secs(20);

/// The size of the viewport, in CSS pixels.
pub const VIEWPORT: (u32, u32) = (1280, 800);

/// Names of the permissions that a page can be granted (`Browser.PermissionType` of the protocol,
/// those that Chromium 156 grants at all), in order.
pub const PERMISSIONS: [&str; 35] = [
    "ar",
    "audioCapture",
    "automaticFullscreen",
    "backgroundFetch",
    "backgroundSync",
    "cameraPanTiltZoom",
    "capturedSurfaceControl",
    "clipboardReadWrite",
    "clipboardSanitizedWrite",
    "displayCapture",
    "durableStorage",
    "geolocation",
    "idleDetection",
    "keyboardLock",
    "localFonts",
    "localNetwork",
    "localNetworkAccess",
    "loopbackNetwork",
    "midi",
    "midiSysex",
    "nfc",
    "notifications",
    "paymentHandler",
    "periodicBackgroundSync",
    "pointerLock",
    "sensors",
    "speakerSelection",
    "storageAccess",
    "topLevelStorageAccess",
    "videoCapture",
    "vr",
    "wakeLockScreen",
    "wakeLockSystem",
    "webAppInstallation",
    "windowManagement",
];

/// Switches on what every session with frames needs; the answers are not awaited.
pub(crate) fn frame_session(connection: &Connection, session: &str, block_origins: bool) {
    for (method, params) in frame_commands(block_origins) {
        drop(connection.send(Some(session), method, &params));
    }
}

/// Switches on what a worker needs; the answers are not awaited.
pub(crate) fn worker_session(connection: &Connection, session: &str, block_origins: bool) {
    for domain in ["Runtime.enable", "Network.enable", "Log.enable"] {
        drop(connection.send(Some(session), domain, &json!({})));
    }
    if block_origins {
        // Its own workers are told of too: what they ask for is to be counted.
        for (method, params) in [("Fetch.enable", all_requests()), auto_attach()] {
            drop(connection.send(Some(session), method, &params));
        }
    }
}

/// Sets up the page, in order, and lets it run. The page's own world may get a script before all
/// others.
pub(crate) async fn page_session(
    connection: &Connection,
    session: &str,
    block_origins: bool,
    on_new_document: Option<&str>,
) -> Result<(), CallError> {
    let (width, height) = VIEWPORT;
    let script = on_new_document.map(|source| {
        let method = "Page.addScriptToEvaluateOnNewDocument";
        (method, json!({"source": source}))
    });
    let of_page = [
        (
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        ),
        (
            "Emulation.setFocusEmulationEnabled",
            json!({"enabled": true}),
        ),
        (
            "Page.setInterceptFileChooserDialog",
            json!({"enabled": true}),
        ),
        ("Runtime.runIfWaitingForDebugger", json!({})),
    ];
    let answers: Vec<_> = frame_commands(block_origins)
        .into_iter()
        .chain(script)
        .chain(of_page)
        .map(|(method, params)| connection.send(Some(session), method, &params))
        .collect();
    for answer in answers {
        match answer.within(SETUP_DEADLINE).await {
            // A browser that lacks one of these still works in the main (WEB-005).
            Ok(_) | Err(CallError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn frame_commands(block_origins: bool) -> Vec<(&'static str, serde_json::Value)> {
    let mut commands = vec![
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Network.enable", json!({"maxPostDataSize": 0})),
        ("Log.enable", json!({})),
        ("DOM.enable", json!({})),
        (
            "Page.addScriptToEvaluateOnNewDocument",
            json!({"source": walker::source(), "worldName": WORLD, "runImmediately": true}),
        ),
        auto_attach(),
    ];
    if block_origins {
        commands.push(("Fetch.enable", all_requests()));
    }
    commands
}

/// What runs inside is told of before it runs.
fn auto_attach() -> (&'static str, serde_json::Value) {
    (
        "Target.setAutoAttach",
        json!({"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}),
    )
}

/// Every request waits for our word.
pub(crate) fn all_requests() -> serde_json::Value {
    json!({"patterns": [{"urlPattern": "*"}]})
}
