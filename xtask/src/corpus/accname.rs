//! Accessible names and roles: pages of the public web-platform-tests with the name or role that
//! some of their elements must have (WEB-022). This reads the cases and judges the answers; asking
//! a browser is in `browser`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Miss, Score, browser};
use crate::failure::Failure;
use crate::workspace::Workspace;

/// The least share of names and of roles that must be right.
const BAR_PERCENT: usize = 98;

/// Cases that are known to miss, each with its reason.
const KNOWN_MISSES: &str = "crates/qa-drivers/accname-misses.tsv";

/// How the reason of a case begins that no observation can answer: its page is not complete, or
/// its element is not among those that an observation lists (WEB-023).
const OUT_OF_SCOPE: &str = "out of scope: ";

/// Shows all pages to the browser driver and judges what it says of their elements.
pub(super) fn check(folder: &Path) -> Result<Vec<Score>, Failure> {
    let known = KnownMisses::read(&Workspace::read()?.root)?;
    let names = browser::look(names(folder)?, |node| node.name.clone())?;
    let roles = browser::look(roles(folder)?, |node| node.role.clone())?;
    Ok(vec![
        judge("names", &names, same_name, &known),
        judge("roles", &roles, same_role, &known),
    ])
}

/// One page and what some of its elements must be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    /// Names the page in reports and in the list of known misses.
    pub(super) id: String,
    /// The document, its elements marked so that an observation can be searched for them.
    pub(super) html: String,
    /// What must hold.
    pub(super) expectations: Vec<Expectation>,
}

/// What one element must be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expectation {
    /// Which element.
    pub(super) element: Mark,
    /// The same for people, and in the list of known misses.
    pub(super) css: String,
    /// The name or role it must have.
    pub(super) expected: String,
}

/// How an element is found in an observation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// By its DOM id.
    Id(String),
    /// By the test id that [`names`] gave it.
    TestId(String),
}

#[derive(Deserialize)]
struct NameLine {
    id: String,
    html: String,
    checks: Checks,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Checks {
    List(Vec<NameCheck>),
    /// A sentence: the elements carry their names in `data-expectedlabel`.
    InPage(IgnoredAny),
}

#[derive(Deserialize)]
struct NameCheck {
    css: String,
    name: String,
}

#[derive(Deserialize)]
struct RoleLine {
    html: String,
    css: String,
    role: String,
}

/// The pages whose elements have an expected name.
fn names(folder: &Path) -> Result<Vec<Case>, Failure> {
    lines::<NameLine>(&folder.join("names.jsonl"))?
        .into_iter()
        .map(|line| match line.checks {
            Checks::List(checks) => Ok(Case {
                expectations: checks
                    .into_iter()
                    .map(|check| expectation(&check.css, check.name))
                    .collect::<Result<_, _>>()?,
                id: line.id,
                html: line.html,
            }),
            Checks::InPage(_) => Ok(marked(line.id, &line.html)),
        })
        .collect()
}

/// The pages whose elements have an expected role.
fn roles(folder: &Path) -> Result<Vec<Case>, Failure> {
    lines::<RoleLine>(&folder.join("roles.jsonl"))?
        .into_iter()
        .map(|line| {
            Ok(Case {
                expectations: vec![expectation(&line.css, line.role)?],
                id: line.html.clone(),
                html: format!("<!doctype html><title>role</title><body>{}", line.html),
            })
        })
        .collect()
}

fn lines<T: for<'de> Deserialize<'de>>(file: &Path) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line).map_err(|error| {
                Failure::usage(format!("{} line {}: {error}", file.display(), index + 1))
            })
        })
        .collect()
}

fn expectation(css: &str, expected: String) -> Result<Expectation, Failure> {
    let id = css
        .strip_prefix('#')
        .filter(|id| {
            id.chars()
                .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        })
        .ok_or_else(|| {
            Failure::usage(format!(
                "`{css}` is not understood: elements are named by #id"
            ))
        })?;
    Ok(Expectation {
        element: Mark::Id(id.to_owned()),
        css: css.to_owned(),
        expected,
    })
}

/// Gives each element that carries its own expectation a test id. The text of the page is changed
/// rather than its document, so that no script runs in a page under test.
fn marked(id: String, html: &str) -> Case {
    const LABEL: &str = "data-expectedlabel=\"";
    let html = without_comments(html);
    let mut page = String::with_capacity(html.len());
    let mut expectations = Vec::new();
    let mut rest = html.as_str();
    while let Some(at) = rest.find(LABEL) {
        let (before, from_label) = rest.split_at(at);
        page.push_str(before);
        let value = &from_label[LABEL.len()..];
        let tag_start = page.rfind('<').unwrap_or(0);
        let tag_end = value.find('<').unwrap_or(value.len());
        let named = is_example(&page[tag_start..]) || is_example(&value[..tag_end]);
        if let (true, Some(end)) = (named, value.find('"')) {
            let mark = format!("case-{}", expectations.len());
            page.push_str(&format!("data-testid=\"{mark}\" "));
            let css = css(&page[tag_start..], &value[..tag_end]);
            expectations.push(Expectation {
                element: Mark::TestId(mark),
                css,
                expected: unescape(&value[..end]),
            });
        }
        page.push_str(LABEL);
        rest = value;
    }
    page.push_str(rest);
    Case {
        id,
        html: page,
        expectations,
    }
}

/// The page without its comments, which hold cases that are not meant to be checked.
fn without_comments(html: &str) -> String {
    let mut page = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, comment)) = rest.split_once("<!--") {
        page.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    page.push_str(rest);
    page
}

/// Whether a part of a tag has one of the classes that mark the elements under test.
fn is_example(attributes: &str) -> bool {
    attribute(attributes, "class").is_some_and(|classes| {
        classes
            .split_ascii_whitespace()
            .any(|class| class == "ex" || class == "labelled")
    })
}

/// What tells an element of a page from the others: its DOM id, else the name of its case.
fn css(before: &str, after: &str) -> String {
    let find = |name| attribute(before, name).or_else(|| attribute(after, name));
    match (find("id"), find("data-testname")) {
        (Some(id), _) => format!("#{id}"),
        (None, Some(name)) => format!("[data-testname=\"{name}\"]"),
        (None, None) => String::new(),
    }
}

/// The value of an attribute, where it is written with double quotes.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("{name}=\"");
    tag.match_indices(&start)
        .find(|(at, _)| tag[..*at].ends_with(|before: char| before.is_ascii_whitespace()))
        .and_then(|(at, _)| tag[at + start.len()..].split('"').next())
}

fn unescape(attribute: &str) -> String {
    attribute
        .replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// What an observation said of the marked elements; an element it does not list has neither name
/// nor role.
pub(super) type Seen = BTreeMap<Mark, String>;

/// Whether a name is the expected one: equal but for the amount of white space.
fn same_name(expected: &str, seen: Option<&str>) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    words(expected) == words(seen.unwrap_or_default())
}

/// Whether a role is the expected one. An observation need not list what has no role of its own.
fn same_role(expected: &str, seen: Option<&str>) -> bool {
    match expected {
        "none" | "generic" => {
            seen.is_none_or(|role| ["none", "generic", "presentation"].contains(&role))
        }
        _ => seen == Some(expected),
    }
}

/// Compares what was seen on each page with what must be there.
fn judge(
    what: &'static str,
    pages: &[(Case, Seen)],
    same: fn(&str, Option<&str>) -> bool,
    known: &KnownMisses,
) -> Score {
    let mut score = Score {
        what,
        cases: 0,
        out_of_scope: 0,
        misses: Vec::new(),
        bar_percent: BAR_PERCENT,
    };
    for (case, seen) in pages {
        for expectation in &case.expectations {
            let found = seen.get(&expectation.element).map(String::as_str);
            let reason = known.reason(&case.id, expectation);
            if same(&expectation.expected, found) {
                score.cases += 1;
                if reason.is_some() {
                    // The list must say what is true, or nobody would see the next loss.
                    score.misses.push(Miss {
                        line: format!(
                            "{} {}: is right, and must leave {KNOWN_MISSES}",
                            case.id, expectation.css
                        ),
                        reason: None,
                    });
                }
                continue;
            }
            if reason
                .as_ref()
                .is_some_and(|reason| reason.starts_with(OUT_OF_SCOPE))
            {
                score.out_of_scope += 1;
                continue;
            }
            score.cases += 1;
            score.misses.push(Miss {
                line: format!(
                    "{} {}: expected {:?}, found {found:?}",
                    case.id, expectation.css, expectation.expected
                ),
                reason,
            });
        }
    }
    score
}

/// The list of known misses: a heading, then lines of page, element, expected name, found name
/// and reason, set apart by tabs.
#[derive(Debug, Default)]
struct KnownMisses(BTreeMap<[String; 3], String>);

impl KnownMisses {
    /// Reads the list of a workspace.
    fn read(root: &Path) -> Result<Self, Failure> {
        let unreadable =
            |reason: String| Failure::usage(format!("cannot read {KNOWN_MISSES}: {reason}"));
        let text = fs::read_to_string(root.join(KNOWN_MISSES))
            .map_err(|error| unreadable(error.to_string()))?;
        Self::parse(&text).map_err(unreadable)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut known = BTreeMap::new();
        for (index, line) in text.lines().enumerate().skip(1) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [page, css, expected, _found, reason] = cells[..] else {
                return Err(format!(
                    "line {} has {} cells instead of 5",
                    index + 1,
                    cells.len()
                ));
            };
            if reason.trim().is_empty() {
                return Err(format!("line {} gives no reason", index + 1));
            }
            known.insert([page, css, expected].map(str::to_owned), reason.to_owned());
        }
        Ok(Self(known))
    }

    fn reason(&self, page: &str, expectation: &Expectation) -> Option<String> {
        let key = [page, &expectation.css, &expectation.expected].map(str::to_owned);
        self.0.get(&key).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_with_their_own_expectation_are_marked() {
        let case = marked(
            "page".into(),
            "<a id=\"first\" class=\"ex\" data-expectedlabel=\"a &amp; b\">x</a>\
             <!-- <b class=\"ex\" data-expectedlabel=\"no\">y</b> -->\
             <b data-expectedlabel=\"no\">y</b>\
             <i data-expectedlabel=\"c\" data-testname=\"i\" class=\"big ex\">z</i>",
        );
        assert_eq!(
            case.html,
            "<a id=\"first\" class=\"ex\" data-testid=\"case-0\" data-expectedlabel=\"a &amp; b\">x</a>\
             <b data-expectedlabel=\"no\">y</b>\
             <i data-testid=\"case-1\" data-expectedlabel=\"c\" data-testname=\"i\" class=\"big ex\">z</i>"
        );
        let found: Vec<(&str, &str)> = case
            .expectations
            .iter()
            .map(|expectation| (&*expectation.css, &*expectation.expected))
            .collect();
        assert_eq!(found, [("#first", "a & b"), ("[data-testname=\"i\"]", "c")]);
    }

    // WEB-022
    #[test]
    fn a_known_miss_has_a_reason_and_an_unknown_one_has_not() {
        let case = |id: &str| Case {
            id: id.into(),
            html: String::new(),
            expectations: vec![Expectation {
                element: Mark::Id("test".into()),
                css: "#test".into(),
                expected: "Save".into(),
            }],
        };
        let known = KnownMisses::parse(
            "id\tcss\nfirst\t#test\tSave\t\tneeds a voice\nfourth\t#test\tSave\t\tout of scope: a word\n",
        )
            .unwrap_or_else(|reason| panic!("{reason}"));
        let right = Seen::from([(Mark::Id("test".into()), "Save".into())]);
        let pages = [
            (case("first"), Seen::new()),
            (case("second"), Seen::new()),
            (case("third"), right),
            (case("fourth"), Seen::new()),
        ];
        let score = judge("names", &pages, same_name, &known);
        assert_eq!((score.cases, score.out_of_scope), (3, 1));
        let reasons: Vec<Option<&str>> = score
            .misses
            .iter()
            .map(|miss| miss.reason.as_deref())
            .collect();
        assert_eq!(reasons, [Some("needs a voice"), None]);
    }

    // WEB-022
    #[test]
    fn a_listed_miss_that_is_right_after_all_must_leave_the_list() {
        let known = KnownMisses::parse("id\npage\t#test\tSave\t\tneeds a voice\n").unwrap();
        let case = Case {
            id: "page".into(),
            html: String::new(),
            expectations: vec![expectation("#test", "Save".into()).unwrap()],
        };
        let seen = Seen::from([(Mark::Id("test".into()), "Save".into())]);
        let score = judge("names", &[(case, seen)], same_name, &known);
        assert_eq!((score.cases, score.misses.len()), (1, 1));
        assert_eq!(score.misses[0].reason, None);
    }

    #[test]
    fn a_list_of_misses_without_reasons_is_refused() {
        assert!(KnownMisses::parse("id\npage\t#test\tSave\t\t \n").is_err());
        assert!(KnownMisses::parse("id\npage\t#test\n").is_err());
    }

    // WEB-022
    #[test]
    fn white_space_and_unlisted_generic_elements_make_no_difference() {
        assert!(same_name("a b", Some(" a  b ")));
        assert!(same_name("", None));
        assert!(!same_name("a b", Some("ab")));
        assert!(same_role("none", None));
        assert!(same_role("generic", Some("none")));
        assert!(!same_role("button", None));
        assert!(!same_role("generic", Some("button")));
    }
}
