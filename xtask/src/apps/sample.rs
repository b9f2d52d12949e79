//! Small data for the apps to show.

use std::fs;
use std::process::Command;

use super::app::{App, Place};
use crate::failure::Failure;
use crate::process;

/// Makes the data of one app anew, so that each serving begins from the same state.
pub(super) fn make(place: &Place, app: App) -> Result<(), Failure> {
    let data = place.data();
    if data.exists() {
        fs::remove_dir_all(&data)?;
    }
    fs::create_dir_all(&data)?;
    match app {
        App::Datasette | App::SqliteWeb => process::run(
            Command::new(place.python("python"))
                .args(["-c", include_str!("sample_database.py")])
                .arg(data.join("sample.db")),
        ),
        App::Tiddlywiki => process::run(
            Command::new(place.npm("tiddlywiki"))
                .args(["wiki", "--init", "server"])
                .current_dir(&data),
        ),
        App::NodeRed => {
            let folder = data.join("node-red");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("settings.js"), NODE_RED_SETTINGS)?;
            fs::write(folder.join("flows.json"), NODE_RED_FLOWS)?;
            Ok(())
        }
    }
}

/// Loopback only, no tour, no reports home, a fixed secret instead of a random one.
const NODE_RED_SETTINGS: &str = r#"module.exports = {
    uiHost: "127.0.0.1",
    flowFile: "flows.json",
    credentialSecret: "sample",
    telemetry: { enabled: false, updateNotification: false },
    editorTheme: { tours: false },
    externalModules: { palette: { allowInstall: false } },
    logging: { console: { level: "warn" } },
};
"#;

const NODE_RED_FLOWS: &str = r#"[
    {"id": "tab", "type": "tab", "label": "Sample"},
    {"id": "tick", "type": "inject", "z": "tab", "name": "tick", "props": [{"p": "payload"}],
     "payload": "hello", "payloadType": "str", "x": 120, "y": 80, "wires": [["show"]]},
    {"id": "show", "type": "debug", "z": "tab", "name": "show", "active": true,
     "complete": "payload", "x": 320, "y": 80, "wires": []}
]
"#;
