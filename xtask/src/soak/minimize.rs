//! Exploring the bundled shop, and minimising each fault that was found: how near do the scenarios
//! come to the shortest way there is, and how often do they bring the fault about again?

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use qa_web_apps::{PlantedFault, ground_truth};
use serde_json::Value;

use super::shop::Shop;
use crate::failure::Failure;
use crate::qa::{Evidence, Qa};
use crate::table;
use crate::workspace::Workspace;

/// How much to explore, and how often to replay.
#[derive(Debug, Args)]
pub(crate) struct Minimizations {
    /// Limit of steps of the exploration.
    #[arg(long, default_value_t = 300)]
    steps: u32,
    /// Seed of the exploration.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Replays of each scenario.
    #[arg(long, default_value_t = 10)]
    verify: u32,
    /// Only this planted fault, by its id.
    #[arg(long)]
    only: Option<String>,
}

/// So many more steps than the shortest way a scenario may have.
const SPARE: usize = 2;

/// What came of one crash or finding.
struct Made {
    id: String,
    fault: PlantedFault,
    of_steps: u64,
    result: Result<Minimal, String>,
    seconds: f64,
}

/// A scenario that was written.
struct Minimal {
    steps: usize,
    runs: u64,
    reproduced: u64,
    /// Why a replay ended otherwise.
    why: Option<String>,
}

pub(crate) fn run(minimizations: &Minimizations) -> Result<(), Failure> {
    let workspace = Workspace::read()?;
    let qa = Qa::build(&workspace)?;
    let folder = workspace.target.join("soak/minimize");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    let shop = Shop::start()?;
    let url = format!("{}/", shop.url());
    let arguments = [
        "--url",
        &url,
        "--max-steps",
        &minimizations.steps.to_string(),
        "--seed",
        &minimizations.seed.to_string(),
    ];
    let explored = qa.explore(&arguments, &folder.join("sessions"))?;
    let mut made = Vec::new();
    for (evidence, fault) in planted(&explored.evidence, minimizations.only.as_deref()) {
        let made_now = minimize(&qa, &explored.dir, evidence, fault, minimizations.verify)?;
        eprintln!("{}", made_now.row(minimizations.verify).join("  "));
        made.push(made_now);
    }
    shop.stop();
    print(&made, minimizations.verify);
    verdict(&made, minimizations.verify)
}

/// What was found, with the planted fault that it is of; what is of none is not planted.
fn planted<'e>(evidence: &'e [Evidence], only: Option<&str>) -> Vec<(&'e Evidence, PlantedFault)> {
    let faults = ground_truth();
    let planted = evidence.iter().filter_map(|evidence| {
        let mut faults = faults.iter();
        let fault = faults.find(|fault| fault.is_shown_by(&evidence.kind, &evidence.text))?;
        Some((evidence, fault.clone()))
    });
    planted
        .filter(|(_, fault)| only.is_none_or(|only| fault.id == only))
        .collect()
}

fn minimize(
    qa: &Qa,
    session: &Path,
    evidence: &Evidence,
    fault: PlantedFault,
    verify: u32,
) -> Result<Made, Failure> {
    let started = Instant::now();
    let output = Command::new(&qa.program)
        .arg("minimize")
        .arg(session)
        .args(["--crash", &evidence.id, "--json", "--overwrite"])
        .args(["--verify", &verify.to_string()])
        .arg("--output")
        .arg(session.with_file_name(format!("{}-{}.json", fault.id, evidence.id)))
        .stdin(Stdio::null())
        .output()?;
    let told: Option<Value> = serde_json::from_slice(&output.stdout).ok();
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let result = match &told {
        Some(told) => Ok(Minimal {
            steps: usize::try_from(number(&told["steps"])).unwrap_or(usize::MAX),
            runs: number(&told["runs"]),
            reproduced: number(&told["verified"]["reproduced"]),
            why: told["verified"]["why"].as_str().map(str::to_owned),
        }),
        None => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    };
    Ok(Made {
        id: evidence.id.clone(),
        fault,
        of_steps: told.map_or(0, |told| number(&told["of_steps"])),
        result,
        seconds: started.elapsed().as_secs_f64(),
    })
}

impl Made {
    /// What is wrong with it, if anything is.
    fn trouble(&self, verify: u32) -> Option<String> {
        let minimal = match &self.result {
            Ok(minimal) => minimal,
            Err(why) => return Some(why.clone()),
        };
        if let (Some(code), Some(why)) = (&self.fault.refused, &minimal.why)
            && why.starts_with(code.as_str())
        {
            return self.is_too_long(minimal);
        }
        if minimal.reproduced < u64::from(verify) {
            return Some(minimal.why.clone().unwrap_or_else(|| "unknown".into()));
        }
        self.is_too_long(minimal)
    }

    fn is_too_long(&self, minimal: &Minimal) -> Option<String> {
        let shortest = self.fault.shortest;
        if minimal.steps < shortest {
            return Some("shorter than what is thought to be the shortest way".into());
        }
        (minimal.steps > shortest + SPARE).then(|| "too long".to_owned())
    }

    fn row(&self, verify: u32) -> Vec<String> {
        let told = |tell: &dyn Fn(&Minimal) -> String| {
            let minimal = self.result.as_ref().ok();
            minimal.map_or_else(|| "-".to_owned(), tell)
        };
        vec![
            self.fault.id.clone(),
            self.id.clone(),
            self.fault.shortest.to_string(),
            told(&|minimal| minimal.steps.to_string()),
            self.of_steps.to_string(),
            told(&|minimal| minimal.runs.to_string()),
            told(&|minimal| format!("{} of {verify}", minimal.reproduced)),
            format!("{:.1} s", self.seconds),
            self.trouble(verify)
                .unwrap_or_else(|| match &self.fault.refused {
                    Some(code) => format!("ok, refused as it must be: {code}"),
                    None => "ok".to_owned(),
                }),
        ]
    }
}

fn print(made: &[Made], verify: u32) {
    let rows: Vec<Vec<String>> = made.iter().map(|made| made.row(verify)).collect();
    let titles = [
        "fault", "record", "shortest", "steps", "of", "runs", "again", "wall", "verdict",
    ];
    table::print(&titles, &rows);
    let met: BTreeSet<&str> = made.iter().map(|made| made.fault.id.as_str()).collect();
    let planted = ground_truth();
    let missed = planted.iter().filter(|fault| !met.contains(&*fault.id));
    let missed: Vec<&str> = missed.map(|fault| fault.id.as_str()).collect();
    println!("not found by exploring: {missed:?}");
}

fn verdict(made: &[Made], verify: u32) -> Result<(), Failure> {
    let wrong = made.iter().filter(|made| made.trouble(verify).is_some());
    match wrong.count() {
        0 if made.is_empty() => Err(Failure::failed("nothing was found, so nothing was tried")),
        0 => Ok(()),
        wrong => Err(Failure::failed(format!(
            "{wrong} of {} scenarios are too long, or did not bring their fault about each time",
            made.len()
        ))),
    }
}
