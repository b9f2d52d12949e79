//! Serves a bundled app until Ctrl-C: `cargo run -p qa-web-apps --example serve -- shop [--no-faults] [--port N]`.

use std::error::Error;

use qa_web_apps::{Options, WebApp, serve};

const USAGE: &str =
    "usage: serve shop|hostile [--no-faults] [--control] [--slow-ms N] [--fail-every N] [--port N]";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (app, options) = arguments(std::env::args().skip(1))?;
    let server = serve(app, options).await?;
    println!("{}", server.url());
    eprintln!("second origin: {}", server.foreign_url());
    tokio::signal::ctrl_c().await?;
    for (trap, count) in server.traps().into_iter().filter(|(_, count)| *count > 0) {
        eprintln!("touched {count} times: {trap}");
    }
    server.stop().await;
    Ok(())
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<(WebApp, Options), Box<dyn Error>> {
    let app = match given.next().as_deref() {
        Some("shop") => WebApp::Shop,
        Some("hostile") => WebApp::Hostile,
        _ => return Err(USAGE.into()),
    };
    let mut options = Options::default();
    while let Some(name) = given.next() {
        let mut number = || given.next().ok_or(USAGE);
        match name.as_str() {
            "--no-faults" => options.faults = false,
            "--control" => options.control = true,
            "--slow-ms" => options.slow_ms = number()?.parse()?,
            "--fail-every" => options.fail_every = Some(number()?.parse()?),
            "--port" => options.port = number()?.parse()?,
            _ => return Err(USAGE.into()),
        }
    }
    Ok((app, options))
}
