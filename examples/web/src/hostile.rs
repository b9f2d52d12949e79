//! Pages that try to break a browser, its driver, or the reader of a report.

use hyper::StatusCode;
use hyper::header::{LOCATION, WWW_AUTHENTICATE};

use crate::asset;
use crate::reply::{Reply, ReplyBody};
use crate::request::Request;
use crate::server::Site;

/// One hostile page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostileCase {
    /// A name, unique in the list.
    pub name: &'static str,
    /// The path to open.
    pub path: &'static str,
    /// What the page does, in one sentence.
    pub does: &'static str,
    /// What a careful tool ends up with.
    pub expect: Expectation,
}

/// How opening a hostile page ends for a careful tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expectation {
    /// A page with visible elements, without a fault.
    Usable,
    /// A page with visible elements that reports faults or findings without end.
    Noisy,
    /// A page that stops answering, at once or when its button is pressed; the busy ones answer again after a minute.
    Hang,
    /// A document that is not HTML, or that has nothing to act on.
    Document,
    /// No page: the navigation fails or never ends.
    NoPage,
    /// Whether the page stays usable depends on the browser; the tool must survive both.
    Survive,
}

const fn case(
    name: &'static str,
    path: &'static str,
    expect: Expectation,
    does: &'static str,
) -> HostileCase {
    HostileCase {
        name,
        path,
        does,
        expect,
    }
}

use Expectation::{Document, Hang, NoPage, Noisy, Survive, Usable};

const CASES: &[HostileCase] = &[
    case(
        "alert-loop",
        "/case/alert-loop",
        Hang,
        "Opens one alert after another for a minute.",
    ),
    case(
        "push-loop",
        "/case/push-loop",
        Usable,
        "Adds history entries as fast as timers allow.",
    ),
    case(
        "reload-loop",
        "/case/reload-loop",
        Survive,
        "Reloads itself as soon as it is loaded.",
    ),
    case(
        "redirect-loop",
        "/case/redirect-loop",
        NoPage,
        "Answers with a redirect to itself.",
    ),
    case(
        "busy-load",
        "/case/busy-load",
        Hang,
        "Computes for up to a minute while it loads.",
    ),
    case(
        "busy-click",
        "/case/busy-click",
        Hang,
        "Computes for up to a minute when its button is pressed.",
    ),
    case(
        "debugger",
        "/case/debugger",
        Usable,
        "Runs debugger statements while it loads and on a timer.",
    ),
    case(
        "many-nodes",
        "/case/many-nodes",
        Usable,
        "Has 100,000 elements.",
    ),
    case(
        "text-node",
        "/case/text-node",
        Usable,
        "Has one text of 10 MB.",
    ),
    case(
        "deep-nesting",
        "/case/deep-nesting",
        Survive,
        "Nests elements 10,000 deep.",
    ),
    case(
        "console-text",
        "/case/console-text",
        Noisy,
        "Writes 20 MB to the console in one message.",
    ),
    case(
        "many-frames",
        "/case/many-frames",
        Usable,
        "Has 1,000 frames.",
    ),
    case("bodyless", "/case/bodyless", Document, "Removes its body."),
    case(
        "frameset",
        "/case/frameset",
        Usable,
        "Is a frameset of two pages.",
    ),
    case("xml", "/case/xml", Document, "Is an XML document."),
    case("pdf", "/case/pdf", Document, "Is a PDF document."),
    case("text", "/case/text", Document, "Is plain text."),
    case("image", "/case/image", Document, "Is an image."),
    case(
        "invalid-utf8",
        "/case/invalid-utf8",
        Usable,
        "Holds bytes that are not UTF-8.",
    ),
    case(
        "service-worker",
        "/case/service-worker",
        Usable,
        "Installs a service worker that answers every later request.",
    ),
    case(
        "late-write",
        "/case/late-write",
        Usable,
        "Replaces itself with document.write after it has loaded.",
    ),
    case(
        "zero-viewport",
        "/case/zero-viewport",
        Usable,
        "Sizes its elements by nothing.",
    ),
    case(
        "full-screen",
        "/case/full-screen",
        Usable,
        "Asks for the full screen and the pointer on each click.",
    ),
    case(
        "popup-loop",
        "/case/popup-loop",
        Usable,
        "Opens a window on each click, and tries to on a timer.",
    ),
    case(
        "slow-body",
        "/case/slow-body",
        Survive,
        "Sends the beginning of a document and never its end.",
    ),
    #[cfg(feature = "tls")]
    case(
        "certificate",
        "/case/certificate",
        NoPage,
        "Leads to a server whose certificate nobody vouches for.",
    ),
    case("auth", "/case/auth", NoPage, "Asks for HTTP credentials."),
    case(
        "tampered",
        "/case/tampered",
        Usable,
        "Replaces built-in functions by ones that lie or throw.",
    ),
    case(
        "untampered",
        "/case/untampered",
        Usable,
        "Has the content of the tampered page and honest built-ins.",
    ),
    case(
        "console-loop",
        "/case/console-loop",
        Noisy,
        "Writes console errors without end.",
    ),
    case(
        "throw-loop",
        "/case/throw-loop",
        Noisy,
        "Throws once each millisecond.",
    ),
    case(
        "instructions",
        "/case/instructions",
        Usable,
        "Tells its reader to break the rules, with escape sequences in its names.",
    ),
];

/// All hostile pages, in the order of the index page.
#[must_use]
pub fn hostile_cases() -> &'static [HostileCase] {
    CASES
}

pub(crate) fn answer(site: &Site, request: &Request) -> Reply {
    match request.path.as_str() {
        "/" => Reply::html(index()),
        "/case/certificate" => site
            .secure_url
            .as_deref()
            .map_or_else(Reply::not_found, |url| {
                Reply::html("")
                    .status(StatusCode::FOUND)
                    .header(LOCATION, url)
            }),
        "/favicon.ico" => asset::shop("favicon.svg")
            .map_or_else(Reply::not_found, |bytes| asset::reply("favicon.svg", bytes)),
        "/part" => {
            Reply::html("<!doctype html><html lang=en><title>Part</title><button>Part</button>")
        }
        // A service worker controls what lies below its own path.
        "/case/service-worker.js" => file("service-worker.js"),
        path => path
            .strip_prefix("/case/")
            .map_or_else(Reply::not_found, |name| page(name, request)),
    }
}

fn page(name: &str, request: &Request) -> Reply {
    match name {
        "redirect-loop" => Reply::html("").status(StatusCode::FOUND).header(LOCATION, request.path.as_str()),
        "xml" => Reply::new("application/xml", r#"<?xml version="1.0"?><shelf><lamp price="79">Copper</lamp></shelf>"#),
        "pdf" => Reply::new("application/pdf", PDF),
        "text" => Reply::new("text/plain; charset=utf-8", "Only text.\nTwo lines of it.\n"),
        "image" => asset::shop("assets/img/1.svg").map_or_else(Reply::not_found, |bytes| Reply::new("image/svg+xml", bytes)),
        "invalid-utf8" => Reply::html(
            [b"<!doctype html><html lang=en><title>Bad \xff\xfe</title><button>Half \xe2\x82 of \xc0\xaf it</button><p>\xed\xa0\x80 tail".as_slice()].concat(),
        ),
        "slow-body" => {
            let mut reply = Reply::html("");
            reply.body = ReplyBody::Endless("<!doctype html><html lang=en><title>Slow</title><button>Early</button>".into());
            reply
        }
        "auth" if !request.authorized => Reply::text(StatusCode::UNAUTHORIZED, "who are you").header(WWW_AUTHENTICATE, r#"Basic realm="hostile""#),
        "auth" => Reply::html("<!doctype html><html lang=en><title>In</title><p>You are in."),
        "tampered" => Reply::html(twin(r#"<script src="/case/tamper.js"></script>"#)),
        "untampered" => Reply::html(twin("")),
        "tamper.js" => file("tamper.js"),
        _ => file(&format!("{name}.html")),
    }
}

fn file(name: &str) -> Reply {
    asset::hostile(name).map_or_else(Reply::not_found, |bytes| asset::reply(name, bytes))
}

/// One page with and without tampering, so that the two cannot drift apart.
fn twin(script: &str) -> String {
    include_str!("../hostile/plain.html").replace("<!--script-->", script)
}

fn index() -> String {
    let items: String = CASES
        .iter()
        .map(|case| {
            format!(
                "<li><a href={}>{}</a> {}</li>",
                case.path, case.name, case.does
            )
        })
        .collect();
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Hostile pages</title><h1>Hostile pages</h1><ul>{items}</ul>"
    )
}

/// One empty page; readers rebuild the missing cross-reference table.
const PDF: &str = "%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_paths_are_unique() {
        let names: BTreeSet<_> = CASES.iter().map(|case| case.name).collect();
        let paths: BTreeSet<_> = CASES.iter().map(|case| case.path).collect();
        assert_eq!((names.len(), paths.len()), (CASES.len(), CASES.len()));
    }

    #[test]
    fn the_twins_differ_by_one_script() {
        let script = r#"<script src="/case/tamper.js"></script>"#;
        assert_eq!(twin(script).replace(script, ""), twin(""));
        assert_ne!(twin(script), twin(""));
    }
}
