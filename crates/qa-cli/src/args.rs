//! The command line, as clap reads it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use qa_core::CrashKind;
use qa_replay::Shard;
use qa_report::Language;

/// Finds unknown bugs in an app by using it the way a person would.
#[derive(Debug, Parser)]
#[command(name = "qa", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 no crash seen; 1 a crash or lost evidence; 2 not proven (aborted); 64 wrong usage;
69 no browser; 70 internal error; 130 interrupted.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Explore a web app: click, fill and go around in it, and record what breaks
    Explore(Box<ExploreArgs>),
    /// See qa at work on an app with planted faults; needs nothing but this program
    Demo(DemoArgs),
    /// Make the reports of a session directory anew, merge sessions, or compare them
    Report(ReportArgs),
    /// Make a scenario of what a session found: the steps are done again, and each gets a proof
    Export(Box<ExportArgs>),
    /// Find the fewest steps that still bring a crash about, and make a scenario of them
    Minimize(Box<MinimizeArgs>),
    /// Replay scenarios: pass, fail or inconclusive, and never a pass that was not proven
    Replay(Box<ReplayArgs>),
    /// Check scenario files without running them
    Validate(ValidateArgs),
    /// Replay a bundled scenario on the bundled web shop, headless, from this program alone
    Example(ExampleArgs),
    /// Make a file for --login-state
    #[command(subcommand)]
    LoginState(LoginStateCommand),
    /// Take secrets out of logs, JSON, JSON lines and HAR before they are handed on
    Redact(RedactArgs),
    /// Check what this machine has of what qa needs
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    /// Where the app begins; its origin is the boundary that is not left
    #[arg(long, required_unless_present = "resume")]
    url: Option<String>,
    /// Go on with a run whose process was killed: its session directory. Its options stay, but for
    /// limits; files that were given to it must be given again
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten)]
    pub(crate) out: OutArgs,
    /// Write a JUnit report for CI to this file, too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) junit: Option<PathBuf>,
    /// Clock of the page: virtual time makes a run fast and repeatable
    #[arg(long, value_enum, default_value_t = ClockArg::Virtual)]
    pub(crate) clock: ClockArg,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
    #[command(flatten)]
    pub(crate) boundary: BoundaryArgs,
    /// What to type into fields: nothing, made-up values, or those of a YAML file (`field: value`)
    /// and made-up ones for the rest
    #[arg(
        long,
        value_name = "none|synthetic|FILE",
        default_value = "synthetic",
        help_heading = "Behaviour"
    )]
    pub(crate) inputs: String,
    /// Where to go when a page has nothing unseen
    #[arg(long, value_enum, default_value_t = NavigationArg::Frontier, help_heading = "Behaviour")]
    pub(crate) navigation: NavigationArg,
    /// How much two views may differ and still be one page
    #[arg(long, value_enum, default_value_t = IdentityArg::Shape, help_heading = "Behaviour")]
    pub(crate) page_identity: IdentityArg,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    /// A login to begin each start of the app with: a file as Playwright saves it
    /// (`storageState`), readable by its owner alone. Of it the app's origins get what is theirs:
    /// that of --url and those of --allow-origin
    #[arg(long, value_name = "FILE", help_heading = "Behaviour")]
    pub(crate) login_state: Option<PathBuf>,
    /// Keep cookies and storage from one start of the app to the next
    #[arg(long, help_heading = "Behaviour")]
    pub(crate) keep_storage: bool,
    /// Kinds of findings that fail the run, separated by commas
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        help_heading = "Verdict"
    )]
    pub(crate) fail_on: Vec<CrashKind>,
    /// Kinds of crashes that do not fail the run, separated by commas
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        help_heading = "Verdict"
    )]
    pub(crate) tolerate: Vec<CrashKind>,
}

impl ExploreArgs {
    /// Where the app begins.
    pub(crate) fn url(&self) -> &str {
        self.url.as_deref().unwrap_or_default()
    }
}

/// What belongs to the app, and what of it is never touched.
#[derive(Debug, Args)]
pub(crate) struct BoundaryArgs {
    /// One more origin that belongs to the app (repeatable)
    #[arg(long, value_name = "ORIGIN", help_heading = "Boundary")]
    pub(crate) allow_origin: Vec<String>,
    /// Block all requests to other origins, those of workers and web sockets too, and count them by
    /// host
    #[arg(long, help_heading = "Boundary")]
    pub(crate) block_origins: bool,
    /// One more word that marks an element as dangerous (repeatable)
    #[arg(long, value_name = "WORD", help_heading = "Boundary")]
    pub(crate) blocklist: Vec<String>,
}

/// What the app gets when it asks.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// Answer to `confirm` and `prompt` dialogs; one that speaks of something dangerous is always
    /// cancelled
    #[arg(long, value_enum, default_value_t = DialogsArg::Dismiss, help_heading = "Behaviour")]
    pub(crate) dialogs: DialogsArg,
    /// A permission the app gets when it asks, such as geolocation (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Behaviour")]
    pub(crate) grant: Vec<String>,
    /// A file to give to file choosers (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Behaviour")]
    pub(crate) upload: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Hard limit of steps, the start of the app included (1 to 100000)
    #[arg(long, value_name = "N", default_value = "100", value_parser = steps, help_heading = "Limits")]
    pub(crate) max_steps: u32,
    /// Soft limit of time, in minutes
    #[arg(long, value_name = "MIN", default_value = "10", value_parser = minutes, help_heading = "Limits")]
    pub(crate) duration_min: f64,
    /// Seed of every random choice
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Limits")]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct OutArgs {
    /// Where the session directory is made
    #[arg(
        long,
        value_name = "DIR",
        default_value = "qa-out",
        help_heading = "Output"
    )]
    pub(crate) out: PathBuf,
    /// Print one JSON object at the end, and nothing else, to stdout
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Language of the terminal and of the reports; codes and keys are the same in each
    #[arg(
        long,
        value_enum,
        default_value_t = LangArg::EnUs,
        env = "QA_LANG",
        help_heading = "Output"
    )]
    pub(crate) lang: LangArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LangArg {
    /// American English
    #[value(name = "en-US")]
    EnUs,
    /// Simplified Chinese
    #[value(name = "zh-CN")]
    ZhCn,
    /// That of this machine's user
    Auto,
}

impl From<LangArg> for Language {
    fn from(arg: LangArg) -> Self {
        match arg {
            LangArg::EnUs => Self::EnUs,
            LangArg::ZhCn => Self::ZhCn,
            LangArg::Auto => Self::of_host(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct BrowserArgs {
    /// Show the browser's window
    #[arg(long, help_heading = "Browser")]
    pub(crate) headed: bool,
    /// Program of the browser; else `QA_BROWSER`, else Chrome, Chromium or Edge is looked for
    #[arg(long, value_name = "PATH", help_heading = "Browser")]
    pub(crate) browser: Option<PathBuf>,
    /// Attach to a browser that runs already, by the address of its DevTools
    #[arg(long, value_name = "URL", conflicts_with_all = ["browser", "headed"], help_heading = "Browser")]
    pub(crate) cdp: Option<String>,
    /// Start the browser without its sandbox
    #[arg(long, help_heading = "Browser")]
    pub(crate) no_sandbox: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Explore the bundled web shop in a browser
    #[arg(long, conflicts_with = "sim")]
    pub(crate) web: bool,
    /// Explore the built-in simulated app
    #[arg(long)]
    pub(crate) sim: bool,
    /// Switch the planted faults off: then nothing is found
    #[arg(long)]
    pub(crate) no_faults: bool,
    /// Hard limit of steps
    #[arg(long, value_name = "N", default_value = "300", value_parser = steps)]
    pub(crate) max_steps: u32,
    /// Seed of every random choice
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) out: OutArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ReportArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ReportCommand>,
    /// The session directory
    #[arg(required = true)]
    pub(crate) dir: Option<PathBuf>,
    /// Open the report in the default browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a JUnit report for CI to this file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Make one report of several sessions or replays: shards of a job, and reruns
    ///
    /// Results of `qa replay` are put together scenario by scenario: a missing shard is no pass, and
    /// what passed in some attempts only is flaky. Sessions of the same app, start, seed and configuration are attempts of one run. Crashes are
    /// grouped by signature over all of them. The order of the directories does not matter, and a
    /// session that is given twice counts once.
    #[command(after_help = MERGE_CODES)]
    Merge(MergeArgs),
    /// Say what changed between two states of an app: crashes, findings and pages
    ///
    /// Crashes and findings are compared by signature, pages by identity.
    #[command(after_help = DIFF_CODES)]
    Diff(DiffArgs),
}

const MERGE_CODES: &str = "\
Exit codes: that of the worst verdict, each attempt counted: 0 no crash seen, or each claim held; 1 a
crash, lost evidence, or a claim that failed; 2 not proven, flaky, or a shard is missing; 69 an app did
not start. 64 a directory that holds neither sessions nor replays or both, and parts of different jobs.";

const DIFF_CODES: &str = "\
Exit codes: 1 a crash in AFTER that is not in BEFORE; 2 no new crash, but a session of AFTER proves
nothing (aborted or not finished); else 0. 64 a directory that holds no session.";

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Session directories, or directories that hold some; or what `qa replay --out` wrote
    #[arg(required = true, value_name = "DIR")]
    pub(crate) dirs: Vec<PathBuf>,
    /// Where report.json, report.md and report.xml (JUnit) are written; of replays replay.json,
    /// replay.md and report.xml
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// A session directory, or one that holds sessions
    pub(crate) before: PathBuf,
    /// As BEFORE, of the later state
    pub(crate) after: PathBuf,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

/// How the app of a session is reached today.
#[derive(Debug, Args)]
pub(crate) struct TodayArgs {
    /// Where the app is today; else where the session was
    #[arg(long, help_heading = "App")]
    pub(crate) url: Option<String>,
    /// The login that the session began with; a session does not keep it
    #[arg(long, value_name = "FILE", help_heading = "App")]
    pub(crate) login_state: Option<PathBuf>,
    /// A file that the session gave to file choosers (repeatable); a session does not keep it
    #[arg(long, value_name = "FILE", help_heading = "App")]
    pub(crate) upload: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 written, and each --verify run did what it should; 1 one did not; 64 nothing can be
proven, or wrong usage; 69 no browser, or the app did not start; 70 the file could not be written; 130
interrupted: what was written by then stays.")]
pub(crate) struct ExportArgs {
    /// The session directory
    pub(crate) session: PathBuf,
    /// The scenario file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The way to a crash, with the action that broke the app at its end
    #[arg(long, value_name = "ID", conflicts_with = "steps")]
    pub(crate) crash: Option<String>,
    /// These steps, from the start of the app before them
    #[arg(long, value_name = "A..B", value_parser = span)]
    pub(crate) steps: Option<(u32, u32)>,
    /// Replay it so often: it must pass each time, or meet the crash each time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) verify: u32,
    /// Take the place of a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) today: TodayArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 written, and the crash came up often enough in the replays of it; 1 it did not; 2 the
crash did not come up on the way to it; 64 nothing can be proven, or wrong usage; 69 no browser, or
the app did not start; 130 interrupted, and what was found by then, if anything, is written.")]
pub(crate) struct MinimizeArgs {
    /// The session directory
    pub(crate) session: PathBuf,
    /// The crash
    #[arg(long, value_name = "ID")]
    pub(crate) crash: String,
    /// The scenario file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// In how many of --of runs the crash must come up for steps to count
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) need: u32,
    /// How often steps are tried, where that is needed
    #[arg(long, value_name = "M", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) of: u32,
    /// Try no more than so often in all
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) budget: u32,
    /// Soft limit of time, in minutes
    #[arg(long, value_name = "MIN", default_value = "10", value_parser = minutes)]
    pub(crate) duration_min: f64,
    /// Replay the scenario so often at the end
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) verify: u32,
    /// Take the place of a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) today: TodayArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 every claim of every scenario held in each attempt; 1 one failed; 2 one was not proven,
passed in some attempts only, or was not run; 64 a file is refused; 69 no browser, or the app did not
start; 130 interrupted.")]
pub(crate) struct ReplayArgs {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where the app is today; else where each scenario says
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// Run so many scenarios at a time, each in a browser of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Work")]
    pub(crate) jobs: u32,
    /// Run only each n-th scenario, from the i-th on; `qa report merge` puts shards together
    #[arg(long, value_name = "I/N", value_parser = shard, help_heading = "Work")]
    pub(crate) shard: Option<Shard>,
    /// Run a scenario that did not pass up to so often again. One that passes then is flaky, which
    /// is no pass
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=10), help_heading = "Work")]
    pub(crate) retries: u32,
    /// Where the reports go
    #[arg(
        long,
        value_name = "DIR",
        default_value = "qa-out/replay",
        help_heading = "Output"
    )]
    pub(crate) out: PathBuf,
    /// Write a JUnit report for CI to this file, too
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) junit: Option<PathBuf>,
    /// Print one JSON object at the end, and nothing else, to stdout
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,
    /// Clock of the page: wall time, as its users have it, or virtual time, which is faster: then an
    /// answer that comes late is waited for
    #[arg(long, value_enum, default_value_t = ClockArg::Real)]
    pub(crate) clock: ClockArg,
    #[command(flatten)]
    pub(crate) answers: AnswerArgs,
    /// A target that is unique only in an incomplete view proves nothing
    #[arg(long, help_heading = "Verdict")]
    pub(crate) strict_uniqueness: bool,
    /// Ask this command the scenario's questions about pictures (`advisory`): it gets one JSON object
    /// on stdin (`question`, `picture`: a file, secrets painted over) and answers with one (`verdict`:
    /// yes, no or unclear; `confidence`: 0 to 1; `reasoning`). The answer never changes a verdict
    #[arg(long, value_name = "COMMAND", help_heading = "Advisory")]
    pub(crate) advisor: Option<String>,
    /// Judge the claims alone: a crash of the app fails nothing by itself
    #[arg(long, help_heading = "Verdict")]
    pub(crate) ignore_crashes: bool,
    /// Kinds of findings that fail a scenario as crashes do, separated by commas
    #[arg(
        long,
        value_name = "KIND",
        value_delimiter = ',',
        help_heading = "Verdict"
    )]
    pub(crate) fail_on: Vec<CrashKind>,
    #[command(flatten)]
    pub(crate) boundary: BoundaryArgs,
    /// A login for all scenarios: a file as Playwright saves it (`storageState`), readable by its
    /// owner alone
    #[arg(long, value_name = "FILE", help_heading = "Login")]
    pub(crate) login_state: Option<PathBuf>,
    /// A scenario may use the login that it names at this origin (repeatable)
    #[arg(long, value_name = "ORIGIN", help_heading = "Login")]
    pub(crate) authorize_origin: Vec<String>,
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    /// Scenario files
    #[arg(required_unless_present = "schema", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the JSON Schema of the format instead, for editors and other programs
    #[arg(long, conflicts_with_all = ["files", "json"])]
    pub(crate) schema: bool,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoginStateCommand {
    /// Log in by hand in a browser's window; the login becomes a file
    ///
    /// Of the fresh browser it takes the cookies of the hosts of --url and --allow-origin, and local
    /// and session storage of exactly these origins. Nothing of it is printed but how much it is.
    #[command(after_help = CAPTURE_CODES)]
    Capture(CaptureArgs),
}

const CAPTURE_CODES: &str = "\
Exit codes: 0 written; 64 there was nothing to keep, or wrong usage; 69 no browser, or the app did
not open; 70 the file could not be written; 130 cancelled, and nothing written.";

#[derive(Debug, Args)]
pub(crate) struct CaptureArgs {
    /// Where one logs in; its origin belongs to the app
    #[arg(long)]
    pub(crate) url: String,
    /// The file to write, readable by its owner alone
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// One more origin whose cookies and storage belong to the login (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// Take the place of a file that is there
    #[arg(long)]
    pub(crate) overwrite: bool,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
    /// Without a window, for apps that log in by themselves
    #[arg(long, help_heading = "Browser")]
    pub(crate) headless: bool,
    /// Program of the browser; else `QA_BROWSER`, else Chrome, Chromium or Edge is looked for
    #[arg(long, value_name = "PATH", help_heading = "Browser")]
    pub(crate) browser: Option<PathBuf>,
    /// Start the browser without its sandbox
    #[arg(long, help_heading = "Browser")]
    pub(crate) no_sandbox: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A pass says that the listed claims held on fresh views, not that the shop is right. Exit codes: 0 if
and only if the status is pass; 1 fail; 2 inconclusive; 69 no browser; 70 no report was written.")]
pub(crate) struct ExampleArgs {
    /// Where report.json, report.md and report.jsonl are written
    #[arg(long, value_name = "DIR", default_value = "qa-example-report")]
    pub(crate) output_dir: PathBuf,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
}

/// Values that must never be stored or printed, in any encoding.
#[derive(Debug, Args)]
pub(crate) struct SecretArgs {
    /// An environment variable whose value is a secret (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Secrets")]
    pub(crate) secret_env: Vec<String>,
    /// A file with a secret in each line, readable by its owner alone
    #[arg(long, value_name = "FILE", help_heading = "Secrets")]
    pub(crate) secrets: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 redacted; 64 wrong usage, or a file that cannot be read; 70 something had to be withheld.")]
pub(crate) struct RedactArgs {
    /// What to redact, one after the other to stdout; stdin if none is given or for `-`
    pub(crate) files: Vec<PathBuf>,
    /// What the files hold; `auto` goes by name and content
    #[arg(long, value_enum, default_value_t = FormatArg::Auto)]
    pub(crate) format: FormatArg,
    /// Say which rule replaced how much, on stderr or in a file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub(crate) report: Option<PathBuf>,
    /// The report as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Addresses of this origin stay readable where they are plain (repeatable)
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    #[command(flatten)]
    pub(crate) secrets: SecretArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// By name and content
    Auto,
    /// Lines of any kind, of any length in all
    Text,
    /// One JSON document
    Json,
    /// One JSON value in each line
    Jsonl,
    /// An HTTP archive, as browsers save it
    Har,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Program of the browser
    #[arg(long, value_name = "PATH")]
    pub(crate) browser: Option<PathBuf>,
    /// Start the browser without its sandbox
    #[arg(long)]
    pub(crate) no_sandbox: bool,
    /// Print one JSON object to stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    /// Wall time
    Real,
    /// App time passes as fast as the page can take it
    Virtual,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NavigationArg {
    /// By the shortest recorded way to the nearest page with something unseen
    Frontier,
    /// One step back
    Back,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum IdentityArg {
    /// Counters, clocks, typed text and the number of rows make no new page
    Shape,
    /// Every text counts
    Exact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialogsArg {
    /// Cancel
    Dismiss,
    /// OK
    Accept,
}

/// EXP-007
fn steps(text: &str) -> Result<u32, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|steps| digits && (1..=100_000).contains(steps))
        .ok_or_else(|| "must be a whole number from 1 to 100000".into())
}

/// `3..9`
fn span(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once("..");
    let number = |part: &str| part.trim_start_matches('=').parse().ok();
    parts
        .and_then(|(from, to)| Some((number(from)?, number(to)?)))
        .ok_or_else(|| "must be two numbers of steps, such as 3..9".into())
}

/// `1/3`
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/');
    let shard = parts.and_then(|(index, of)| {
        Some(Shard {
            index: index.parse().ok()?,
            of: of.parse().ok()?,
        })
    });
    shard
        .filter(|shard| (1..=shard.of).contains(&shard.index))
        .ok_or_else(|| "must be a part and the number of parts, such as 1/3".into())
}

/// EXP-008
fn minutes(text: &str) -> Result<f64, String> {
    const LONGEST: f64 = 60.0 * 24.0 * 365.0;
    text.parse()
        .ok()
        .filter(|minutes: &f64| minutes.is_finite() && *minutes > 0.0 && *minutes <= LONGEST)
        .ok_or_else(|| "must be a number of minutes greater than 0".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-007
    #[test]
    fn a_step_limit_is_a_whole_number_in_range() {
        for bad in ["0", "-1", "1.5", "1e2", "", "x", "+5", "100001"] {
            assert!(steps(bad).is_err(), "{bad:?}");
        }
        assert_eq!(steps("100000"), Ok(100_000));
    }

    // EXP-008
    #[test]
    fn a_time_limit_is_a_positive_number() {
        for bad in ["0", "-1", "NaN", "inf", ""] {
            assert!(minutes(bad).is_err(), "{bad:?}");
        }
        assert_eq!(minutes("0.5"), Ok(0.5));
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory as _;
        Cli::command().debug_assert();
    }
}
