//! Makes the reports of a session directory anew and prints its summary.
//!
//! ```text
//! cargo run -p qa-examples --example report_alone -- qa-sessions/2026-11-30_061502_shop_5f0c91aa
//! ```

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).map(PathBuf::from);
    let dir = dir.ok_or("usage: report_alone SESSION_DIRECTORY")?;
    let session = qa_report::Session::read(&dir)?;
    for warning in &session.warnings {
        eprintln!("{}: {}", warning.code, warning.text);
    }
    qa_report::render(&session)?;
    println!("{:#}", qa_report::summary_json(&session));
    Ok(())
}
