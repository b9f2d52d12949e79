//! `qa demo`: an app with planted faults, explored before the user's eyes.

use std::fmt::Write as _;
use std::time::Duration;

use qa_core::{CrashKind, ExploreConfig};
use qa_drivers::cdp::{CdpDriver, CdpOptions, OpenError, VIEWPORT, find_browser};
use qa_report::Language;
use qa_sim::{SHOP_FAULTS, SimDriver, demo_shop};
use qa_web_apps::{Options, Severity, WebApp, ground_truth, serve};

use super::explore::choice;
use super::session::{self, Finished, Setup};
use crate::args::DemoArgs;
use crate::exit::{self, Failure};
use crate::output;

/// One planted fault and whether the run found it.
struct Planted {
    what: String,
    found: bool,
}

pub(crate) async fn run(args: &DemoArgs) -> Result<u8, Failure> {
    let browser = find_browser(args.browser.browser.as_deref());
    let attach = args.browser.cdp.is_some();
    let (finished, planted) = match browser {
        Err(error) if (args.web || args.browser.browser.is_some()) && !attach => {
            return Err(session::no_browser(&OpenError::NotFound(error)));
        }
        _ if args.sim => {
            say(
                args,
                "exploring the built-in simulated app (`qa demo --web` takes a real browser)",
                "正在探索内置的模拟应用（`qa demo --web` 使用真实浏览器）",
            );
            simulated(args).await?
        }
        Err(error) if !attach => {
            let hint = error.hint();
            say(
                args,
                &format!(
                    "no browser found: exploring the built-in simulated app\n  to see a real browser at work: {hint}"
                ),
                &format!("未找到浏览器，正在探索内置的模拟应用\n  使用真实浏览器：{hint}"),
            );
            simulated(args).await?
        }
        _ => {
            say(
                args,
                "exploring the bundled web shop in a browser (`qa demo --sim` needs none)",
                "正在浏览器中探索内置的网店（`qa demo --sim` 无需浏览器）",
            );
            web(args).await?
        }
    };
    conclude(args, &finished, &planted)
}

async fn web(args: &DemoArgs) -> Result<(Finished, Vec<Planted>), Failure> {
    let faults = !args.no_faults;
    let server = serve(
        WebApp::Shop,
        Options {
            faults,
            ..Options::default()
        },
    )
    .await
    .map_err(|error| Failure::internal(format!("the bundled shop: {error}")))?;
    let mut options = CdpOptions::new(server.url());
    options.browser = choice(&args.browser);
    let config = config(args, options.origins());
    let (mut driver, mut watch) = CdpDriver::open(options)
        .await
        .map_err(|error| session::no_browser(&error))?;
    let viewport = Some((f64::from(VIEWPORT.0), f64::from(VIEWPORT.1)));
    let setup = Setup {
        config: &config,
        name: "qa-demo-web",
        viewport,
        arguments: &[],
        resume: None,
        secrets: &[],
    };
    let finished = session::run(&mut driver, &mut watch, &setup, &args.out).await?;
    let touched: Vec<String> = server
        .traps()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, _)| name)
        .collect();
    server.stop().await;
    if !touched.is_empty() {
        let message = format!("the run touched what it must not: {}", touched.join(", "));
        return Err(Failure::internal(message));
    }
    let crashes = &finished.outcome.crashes;
    let planted = ground_truth()
        .into_iter()
        .filter(|fault| faults && fault.severity == Severity::Crash)
        .map(|fault| {
            let kind = fault.kind.as_str();
            let mut crashes = crashes.iter();
            let found = crashes.any(|crash| fault.is_shown_by(crash.kind.as_str(), &crash.label));
            Planted {
                what: format!("{kind}: {}", fault.how),
                found,
            }
        })
        .collect();
    Ok((finished, planted))
}

async fn simulated(args: &DemoArgs) -> Result<(Finished, Vec<Planted>), Failure> {
    let mut app = demo_shop();
    if args.no_faults {
        app = app.without_faults();
    }
    let config = config(args, vec![app.package.clone()]);
    let (mut driver, mut watch) = SimDriver::new(app);
    let setup = Setup {
        config: &config,
        name: "qa-demo-sim",
        viewport: None,
        arguments: &[],
        resume: None,
        secrets: &[],
    };
    let finished = session::run(&mut driver, &mut watch, &setup, &args.out).await?;
    let crashes = &finished.outcome.crashes;
    let planted = SHOP_FAULTS
        .iter()
        .filter(|_| !args.no_faults)
        .map(|fault| {
            let found = crashes
                .iter()
                .any(|crash| crash.kind == fault.kind && crash.signature.0.contains(fault.fault));
            let kind: CrashKind = fault.kind;
            Planted {
                what: format!("{kind}: {} on {}", fault.fault, fault.screen),
                found,
            }
        })
        .collect();
    Ok((finished, planted))
}

fn config(args: &DemoArgs, boundary: Vec<String>) -> ExploreConfig {
    let mut config = ExploreConfig::new(boundary);
    config.max_steps = args.max_steps;
    config.seed = args.seed;
    config.duration = Duration::from_secs(20 * 60);
    config
}

/// A demo succeeds when it shows what it is there to show: faults where some are planted, and none
/// where none are.
fn conclude(args: &DemoArgs, finished: &Finished, planted: &[Planted]) -> Result<u8, Failure> {
    let found = planted.iter().filter(|fault| fault.found).count();
    if !args.out.json && !planted.is_empty() {
        let language = Language::from(args.out.lang);
        let all = planted.len();
        let mut text = language.pick(
            format!("\nplanted crashes found: {found} of {all}\n"),
            format!("\n找到的预埋崩溃：{found}/{all}\n"),
        );
        for Planted { found, what } in planted {
            let word = if *found {
                language.pick("found ", "找到")
            } else {
                language.pick("missed", "遗漏")
            };
            let _ = writeln!(text, "  {word} {what}");
        }
        text.push_str(language.pick(
            "\nnext: open the report, or try your own app: qa explore --url http://…",
            "\n下一步：打开报告，或探索您自己的应用：qa explore --url http://…",
        ));
        output::print(&text)?;
    }
    let code = match finished.exit_code() {
        exit::FAIL if found > 0 => exit::PASS,
        exit::PASS if !planted.is_empty() => exit::FAIL,
        code => code,
    };
    if args.out.json {
        session::print_json(finished, code)?;
    }
    Ok(code)
}

fn say(args: &DemoArgs, en: &str, zh: &str) {
    if !args.out.json {
        output::say(Language::from(args.out.lang).pick(en, zh));
    }
}
