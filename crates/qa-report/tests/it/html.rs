//! One file that opens offline, in which nothing that an app said can act.

use std::collections::HashSet;
use std::fs;

use qa_core::Archive;
use qa_report::SessionWriter;
use scraper::{Html, Selector};

use crate::fixture::{graph, outcome, session};

fn report(text: &str) -> (String, Html) {
    let root = tempfile::tempdir().unwrap();
    finished(session(root.path(), text), text)
}

fn finished(mut writer: SessionWriter, text: &str) -> (String, Html) {
    writer.finish(&outcome(text), &graph(text)).unwrap();
    let text = fs::read_to_string(writer.dir().join("report.html")).unwrap();
    let parsed = Html::parse_document(&text);
    (text, parsed)
}

fn count(html: &Html, selector: &str) -> usize {
    html.select(&Selector::parse(selector).unwrap()).count()
}

// EXP-180, WEB-081
#[test]
fn the_file_stands_alone() {
    let (text, html) = report("Add");
    assert_eq!(
        count(&html, "link, iframe, object, embed, img, form, base"),
        0
    );
    assert_eq!(count(&html, "script"), 1);
    assert_eq!(count(&html, "script[src], [style]"), 0);
    let policy = Selector::parse("meta[http-equiv=Content-Security-Policy]").unwrap();
    let policy = html.select(&policy).next().unwrap().value();
    let policy = policy.attr("content").unwrap();
    assert!(policy.starts_with("default-src 'none'; img-src data:; style-src 'sha256-"));
    assert!(!policy.contains("unsafe"), "{policy}");
    for element in html.select(&Selector::parse("[href]").unwrap()) {
        let href = element.value().attr("href").unwrap();
        let inside = ["#", "data:image/jpeg;base64,", "steps/", "crashes/"];
        assert!(inside.iter().any(|start| href.starts_with(start)), "{href}");
    }
    for element in html.select(&Selector::parse("*").unwrap()) {
        let handler = element
            .value()
            .attrs()
            .find(|(name, _)| name.starts_with("on"));
        assert_eq!(handler, None);
    }
    assert!(text.len() < 200_000, "{} bytes", text.len());
}

#[test]
fn every_link_leads_somewhere() {
    let (_, html) = report("Add");
    let every = Selector::parse("[id]").unwrap();
    let ids: Vec<_> = html
        .select(&every)
        .filter_map(|element| element.value().attr("id"))
        .collect();
    let unique: HashSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "an id is given twice");
    for element in html.select(&Selector::parse("[href^='#']").unwrap()) {
        let target = &element.value().attr("href").unwrap()[1..];
        assert!(unique.contains(&target), "#{target}");
    }
}

// D-15, EXP-182
#[test]
fn the_worst_comes_first_and_nothing_is_missing() {
    let (_, html) = report("Add");
    let heads: Vec<String> = html
        .select(&Selector::parse("main h2").unwrap())
        .map(|head| head.text().collect())
        .collect();
    assert_eq!(
        heads,
        [
            "Crashes",
            "Findings",
            "Map of the app",
            "Not explored",
            "Every step",
            "How it was set up"
        ]
    );
    assert_eq!(count(&html, "h1"), 1);
    assert_eq!(count(&html, "#crashes article"), 1);
    assert_eq!(count(&html, "#crashes .strip li"), 3);
    assert_eq!(count(&html, "#crash-c1, #finding-f1, #page-P3, #step-3"), 4);
    assert_eq!(count(&html, "#graph .node"), 3);
    assert_eq!(count(&html, "#graph .edges > path"), 3);
    assert_eq!(count(&html, ".steps > li"), 3);
    assert_eq!(count(&html, "#left .card"), 6);
    assert_eq!(count(&html, "svg.pic:not([aria-label])"), 0);
    // Three different pictures, two of them large as well.
    assert_eq!(count(&html, "defs image"), 5);
}

// The picture has twice the pixels of the viewport.
#[test]
fn the_touched_element_is_framed() {
    let (_, html) = report("Add");
    let frame = html
        .select(&Selector::parse("#crashes .pair rect.touch").unwrap())
        .next()
        .unwrap();
    let edge = |name| frame.value().attr(name).unwrap().to_owned();
    assert_eq!(
        [edge("x"), edge("y"), edge("width"), edge("height")],
        ["20", "10", "16", "12"]
    );
}

// WEB-081, RED-079
#[test]
fn hostile_texts_stay_texts() {
    let plain = report("Add").1;
    for text in [
        "<script>alert(1)</script>",
        "</pre></details><h1>x</h1>",
        "\"><img src=x onerror=alert(1)>",
        "'--></style><style>body{display:none}",
        "a\u{1b}[31mred\u{1b}]8;;http://x\u{7}",
        "\u{202e}gnp.exe\u{2066}\u{200f}",
        "]]></svg><svg onload=alert(1)>",
        "&lt;script&gt; {{ 7 * 7 }} {% raw %}",
    ] {
        let (file, html) = report(text);
        for selector in [
            "script",
            "h1",
            "img",
            "style",
            "svg",
            "details",
            "pre",
            "[onerror]",
            "[onload]",
            "main *",
        ] {
            assert_eq!(
                count(&html, selector),
                count(&plain, selector),
                "{selector} with {text:?}"
            );
        }
        let acting = |c: char| {
            c.is_control() && !"\n\t".contains(c) || "\u{202e}\u{2066}\u{200f}".contains(c)
        };
        assert!(!file.contains(acting), "{text:?}");
    }
}

fn text(html: &Html, selector: &str) -> String {
    let found = html.select(&Selector::parse(selector).unwrap()).next();
    found
        .unwrap_or_else(|| panic!("{selector}"))
        .text()
        .collect()
}

#[test]
fn the_way_to_a_crash_is_a_text_for_a_ticket() {
    let (_, html) = report("Add");
    let command = "qa explore --url http://127.0.0.1:8000/ --seed 1";
    assert_eq!(text(&html, "#command"), command);
    assert_eq!(
        text(&html, "#path-c1"),
        format!(
            "js-exception: TypeError: Add\n1. tap button Add\n2. tap button Add\n\
             3. tap button Add\n\n{command}"
        )
    );
}
