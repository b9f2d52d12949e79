//! `qa doctor`: what this machine has of what qa needs.

use std::fmt::Write as _;
use std::time::Duration;

use qa_core::{Clock, CrashWatch as _, Driver as _, ObserveRequest};
use qa_drivers::cdp::{BrowserChoice, CdpDriver, CdpOptions, find_browser};
use qa_web_apps::{Options, WebApp, serve};
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::exit::{self, Failure};
use crate::output;

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_do: Option<String>,
}

pub(crate) async fn run(args: &DoctorArgs) -> Result<u8, Failure> {
    let mut checks = vec![temporary_directory()];
    match find_browser(args.browser.as_deref()) {
        Err(error) => checks.push(Check {
            name: "browser",
            ok: false,
            found: error.to_string(),
            to_do: Some(error.hint().to_owned()),
        }),
        Ok(path) => {
            checks.push(Check {
                name: "browser",
                ok: true,
                found: path.display().to_string(),
                to_do: None,
            });
            for clock in [Clock::Real, Clock::Virtual] {
                checks.push(browser_works(args, clock).await);
            }
        }
    }
    let ok = checks.iter().all(|check| check.ok);
    if args.json {
        output::print(&serde_json::json!({"ok": ok, "checks": checks}).to_string())?;
    } else {
        let mut text = String::new();
        for check in &checks {
            let word = if check.ok { "ok     " } else { "MISSING" };
            let _ = writeln!(text, "{word} {:<22} {}", check.name, check.found);
            if let Some(to_do) = &check.to_do {
                let _ = writeln!(text, "        to do: {to_do}");
            }
        }
        if !ok {
            text.push_str("\n`qa demo --sim` works without a browser.");
        }
        output::print(text.trim_end())?;
    }
    Ok(if ok { exit::PASS } else { exit::UNAVAILABLE })
}

fn temporary_directory() -> Check {
    let dir = std::env::temp_dir();
    let probe = dir.join(format!("qa-doctor-{}", std::process::id()));
    let made = std::fs::create_dir(&probe).and_then(|()| std::fs::remove_dir(&probe));
    Check {
        name: "temporary directory",
        ok: made.is_ok(),
        found: match &made {
            Ok(()) => dir.display().to_string(),
            Err(error) => format!("{}: {error}", dir.display()),
        },
        to_do: made
            .is_err()
            .then(|| "set TMPDIR to a directory that can be written".to_owned()),
    }
}

/// Opens a page of the bundled shop and looks at it.
async fn browser_works(args: &DoctorArgs, clock: Clock) -> Check {
    let name = match clock {
        Clock::Real => "page on real clock",
        Clock::Virtual => "page on virtual clock",
    };
    match look(args, clock).await {
        Ok(found) => Check {
            name,
            ok: true,
            found,
            to_do: None,
        },
        Err((found, to_do)) => Check {
            name,
            ok: false,
            found,
            to_do: Some(to_do),
        },
    }
}

async fn look(args: &DoctorArgs, clock: Clock) -> Result<String, (String, String)> {
    let report = |text: String| {
        (
            text,
            "see the message; --browser PATH names another one".to_owned(),
        )
    };
    let server = serve(
        WebApp::Shop,
        Options {
            faults: false,
            ..Options::default()
        },
    )
    .await
    .map_err(|error| report(error.to_string()))?;
    let mut options = CdpOptions::new(server.url());
    options.clock = clock;
    options.browser = BrowserChoice::Launch {
        path: args.browser.clone(),
        headed: false,
        no_sandbox: args.no_sandbox,
    };
    let (mut driver, mut watch) = CdpDriver::open(options)
        .await
        .map_err(|error| (error.to_string(), error.hint()))?;
    let seen = async {
        watch.start().await.map_err(|error| error.to_string())?;
        let opened = driver.launch().await.map_err(|error| error.to_string())?;
        if !opened.is_ok() {
            return Err(opened
                .reason
                .unwrap_or_else(|| "the page did not open".into()));
        }
        driver
            .advance(Duration::from_millis(500))
            .await
            .map_err(|error| error.to_string())?;
        let view = driver
            .observe(ObserveRequest::JUDGING)
            .await
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(view.nodes.len())
    }
    .await;
    let device = driver.info().device.clone();
    let remarks = driver.info().remarks.join("; ");
    let stopped = driver.stop().await;
    server.stop().await;
    let nodes = seen.map_err(report)?;
    stopped.map_err(|error| report(error.to_string()))?;
    let remarks = if remarks.is_empty() {
        String::new()
    } else {
        format!(" ({remarks})")
    };
    Ok(format!("{device} showed {nodes} nodes{remarks}"))
}
