//! Every code that this program uses has words.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use qa_report::{Language, code_text};

/// Words in capitals that are no codes of a reason, a receipt or an error of a driver.
const OTHER: [&str; 4] = ["CARGO_PKG_VERSION", "LC_ALL", "LC_MESSAGES", "QA_BROWSER"];

// EXP-162
#[test]
fn each_code_in_the_sources_can_be_said() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut codes = BTreeSet::new();
    for name in ["qa-core", "qa-drivers", "qa-sim", "qa-report"] {
        collect(&crates.join(name).join("src"), &mut codes);
    }
    assert!(codes.len() > 40, "{codes:?}");
    let silent: Vec<_> = codes
        .iter()
        .filter(|code| !OTHER.contains(&code.as_str()))
        .filter(|code| code_text(Language::ZhCn, code).is_none())
        .collect();
    assert_eq!(
        silent, [""; 0],
        "give them words in crates/qa-report/src/reason.rs"
    );
}

/// String literals such as `"TARGET_MOVING"`, in all code that is not a test.
fn collect(dir: &Path, codes: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, codes);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "js")
        {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let literals = code.split(['"', '\'']).filter(|literal| is_code(literal));
            codes.extend(literals.map(str::to_owned));
        }
    }
}

fn is_code(literal: &str) -> bool {
    let capitals = literal
        .bytes()
        .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    capitals && literal.contains('_') && !literal.starts_with('_') && !literal.ends_with('_')
}
