//! The layers of the workspace: which crate may use which, and what the pure ones never touch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;

/// One line of the table of crates.
struct Layer {
    name: &'static str,
    /// Our crates it may use.
    may_use: &'static [&'static str],
    /// Our crates it may use in its tests beside those.
    in_tests: &'static [&'static str],
    /// Whether it performs no I/O.
    pure: bool,
}

const ALL_BUT_TASKS: &[&str] = &[
    "qa-core",
    "qa-crash",
    "qa-redact",
    "qa-drivers",
    "qa-replay",
    "qa-report",
    "qa-mcp",
    "qa-sim",
    "qa-web-apps",
];

/// What each member may use. A member that is not listed may use nothing of ours.
const LAYERS: &[Layer] = &[
    Layer {
        name: "qa-core",
        may_use: &[],
        in_tests: &[],
        pure: true,
    },
    Layer {
        name: "qa-crash",
        may_use: &["qa-core"],
        in_tests: &[],
        pure: true,
    },
    Layer {
        name: "qa-redact",
        may_use: &["qa-core"],
        in_tests: &[],
        pure: true,
    },
    Layer {
        name: "qa-drivers",
        may_use: &["qa-core", "qa-crash"],
        in_tests: &[],
        pure: false,
    },
    Layer {
        name: "qa-replay",
        may_use: &["qa-core", "qa-redact"],
        in_tests: &["qa-sim"],
        pure: false,
    },
    Layer {
        name: "qa-report",
        may_use: &["qa-core", "qa-crash", "qa-redact"],
        in_tests: &[],
        pure: false,
    },
    Layer {
        name: "qa-mcp",
        may_use: &[
            "qa-core",
            "qa-crash",
            "qa-redact",
            "qa-drivers",
            "qa-replay",
            "qa-report",
            "qa-sim",
        ],
        in_tests: &[],
        pure: false,
    },
    Layer {
        name: "qa-sim",
        may_use: &["qa-core"],
        in_tests: &["qa-drivers"],
        pure: false,
    },
    Layer {
        name: "qa-web-apps",
        may_use: &[],
        in_tests: &[],
        pure: false,
    },
    Layer {
        name: "qa-cli",
        may_use: ALL_BUT_TASKS,
        in_tests: &[],
        pure: false,
    },
    Layer {
        name: "qa-examples",
        may_use: ALL_BUT_TASKS,
        in_tests: &[],
        pure: false,
    },
    Layer {
        name: "qa-tests",
        may_use: ALL_BUT_TASKS,
        in_tests: &["qa-cli"],
        pure: false,
    },
    Layer {
        name: "xtask",
        may_use: ALL_BUT_TASKS,
        in_tests: &[],
        pure: false,
    },
];

/// Crates that exist to reach the world, or to be unpredictable. None of them may be compiled
/// into a pure crate, not even through another crate.
const WORLDLY: &[&str] = &[
    "async-std",
    "fastrand",
    "futures-executor",
    "getrandom",
    "hyper",
    "mio",
    "rand",
    "rayon",
    "reqwest",
    "rustls",
    "smol",
    "socket2",
    "tempfile",
    "tokio",
    "tungstenite",
    "ureq",
    "uuid",
];

/// The calls that each pure crate's `clippy.toml` must ban, one of each sort.
const BANS: &[&str] = &[
    "std::time::SystemTime::now",
    "std::time::Instant::now",
    "std::thread::spawn",
    "std::thread::sleep",
    "std::env::var",
    "std::fs::read",
    "std::fs::File",
    "std::net::TcpStream",
    "std::process::Command",
    "std::io::stdout",
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `None` for an ordinary dependency, else `dev` or `build`.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<ResolvedPackage>,
}

#[derive(Deserialize)]
struct ResolvedPackage {
    id: String,
    deps: Vec<ResolvedDependency>,
}

#[derive(Deserialize)]
struct ResolvedDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

impl Metadata {
    fn read() -> Self {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version=1", "--all-features"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "cargo metadata: {complaint}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }

    /// Everything that is compiled into a package, with the way that leads there. What only the
    /// strategies for other people's tests need does not count.
    fn compiled_into<'a>(&'a self, root: &'a Package) -> BTreeMap<&'a str, String> {
        let names: BTreeMap<&str, &str> = self
            .packages
            .iter()
            .map(|package| (package.id.as_str(), package.name.as_str()))
            .collect();
        let edges: BTreeMap<&str, &[ResolvedDependency]> = self
            .resolve
            .nodes
            .iter()
            .map(|node| (node.id.as_str(), node.deps.as_slice()))
            .collect();
        let mut ways = BTreeMap::new();
        let mut open = vec![(root.id.as_str(), root.name.clone())];
        while let Some((id, way)) = open.pop() {
            for dependency in edges[id] {
                let name = names[dependency.pkg.as_str()];
                let linked = dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
                if linked && name != "proptest" && !ways.contains_key(name) {
                    let way = format!("{way} -> {name}");
                    ways.insert(name, way.clone());
                    open.push((&dependency.pkg, way));
                }
            }
        }
        ways
    }
}

#[test]
fn members_use_only_the_crates_below_them() {
    let metadata = Metadata::read();
    let ours: BTreeSet<&str> = metadata.members().map(|member| &*member.name).collect();
    let mut forbidden = Vec::new();
    for member in metadata.members() {
        let layer = LAYERS.iter().find(|layer| layer.name == member.name);
        for dependency in &member.dependencies {
            let in_tests = dependency.kind.as_deref() == Some("dev");
            let allowed = layer.is_some_and(|layer| {
                layer.may_use.contains(&&*dependency.name)
                    || in_tests && layer.in_tests.contains(&&*dependency.name)
            });
            if ours.contains(&*dependency.name) && !allowed {
                let kind = dependency.kind.as_deref().unwrap_or("ordinary");
                forbidden.push(format!("{} -> {} ({kind})", member.name, dependency.name));
            }
        }
    }
    assert!(
        forbidden.is_empty(),
        "edges that the table of layers does not allow: {forbidden:#?}"
    );
}

#[test]
fn each_member_has_its_line_in_the_table() {
    let metadata = Metadata::read();
    for member in metadata.members() {
        assert!(
            LAYERS.iter().any(|layer| layer.name == member.name),
            "{} is missing in the table of layers",
            member.name
        );
    }
}

// EXP-002
#[test]
fn nothing_that_reaches_the_world_is_compiled_into_a_pure_crate() {
    let metadata = Metadata::read();
    let pure = LAYERS.iter().filter(|layer| layer.pure);
    for layer in pure {
        let package = metadata
            .members()
            .find(|member| member.name == layer.name)
            .unwrap();
        let compiled = metadata.compiled_into(package);
        let found: Vec<&String> = WORLDLY
            .iter()
            .filter_map(|name| compiled.get(name))
            .collect();
        assert!(found.is_empty(), "{} is not pure: {found:#?}", layer.name);
    }
}

// EXP-002
#[test]
fn each_pure_crate_bans_the_calls_it_never_makes() {
    let metadata = Metadata::read();
    for layer in LAYERS.iter().filter(|layer| layer.pure) {
        let package = metadata
            .members()
            .find(|member| member.name == layer.name)
            .unwrap();
        let file = package.manifest_path.with_file_name("clippy.toml");
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        for ban in BANS {
            assert!(
                text.contains(&format!("path = \"{ban}\"")),
                "{} does not ban {ban}",
                file.display()
            );
        }
    }
}
