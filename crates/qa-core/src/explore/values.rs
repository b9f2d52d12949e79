//! Made-up values that are fit to be published.

use super::pattern;
use crate::Field;

/// A seeded source of choices (SplitMix64): equal seeds and fields, equal choices.
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn new<'a>(seed: u64, names: impl Iterator<Item = &'a str>) -> Self {
        // FNV-1a, so that two fields of a form get different values.
        let mut state = 0xcbf2_9ce4_8422_2325_u64;
        for byte in names.flat_map(str::bytes) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Self(seed ^ state)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let index = usize::try_from(self.below(words.len() as u64)).unwrap_or(0);
        words.get(index).copied().unwrap_or_default()
    }
}

/// Whether a control of this kind takes a value without being a text field.
pub(super) fn is_picked(kind: &str) -> bool {
    matches!(
        kind,
        "date" | "time" | "month" | "week" | "datetime-local" | "color" | "range"
    )
}

/// A value the field should accept, or `None` where none is known.
pub(super) fn valid(field: &Field, meaning: &str, draw: &mut Draw) -> Option<String> {
    if let Some(value) = by_kind(field, draw) {
        return Some(value);
    }
    if let Some(pattern) = field
        .pattern
        .as_deref()
        .filter(|pattern| !pattern.is_empty())
    {
        return pattern::example(pattern, draw);
    }
    Some(by_meaning(field, meaning, draw))
}

fn by_kind(field: &Field, draw: &mut Draw) -> Option<String> {
    let from = |fallback: &str| {
        [&field.min, &field.max]
            .into_iter()
            .flatten()
            .find(|bound| !bound.is_empty())
            .cloned()
            .unwrap_or_else(|| fallback.to_owned())
    };
    let value = match field.kind.as_str() {
        "email" => email(draw),
        "tel" if field.pattern.is_none() => phone(draw),
        "url" => url(draw),
        "number" | "range" => number(field, draw),
        "date" => from("2030-06-15"),
        "time" => from("10:30"),
        "month" => from("2030-06"),
        "week" => from("2030-W24"),
        "datetime-local" => from("2030-06-15T10:30"),
        "color" => draw.of(&["#336699", "#cc3300", "#228844"]).to_owned(),
        _ => return None,
    };
    Some(value)
}

/// What the names of a field ask for; the first row that meets wins.
fn by_meaning(field: &Field, meaning: &str, draw: &mut Draw) -> String {
    const NAMES: [&str; 4] = ["Alex Example", "Sam Sample", "Kim Probe", "Robin Test"];
    let says = |words: &[&str]| words.iter().any(|word| meaning.contains(word));
    if says(&["email", "e-mail", "邮箱", "邮件"]) {
        email(draw)
    } else if says(&[
        "phone",
        "mobile",
        "tel ",
        "telephone",
        "fax",
        "电话",
        "手机",
    ]) {
        phone(draw)
    } else if says(&["url", "website", "homepage", "web site", "网址", "链接"]) {
        url(draw)
    } else if says(&["zip", "postal", "postcode", "post code", "邮编"]) {
        draw.of(&["12345", "90210", "10001"]).to_owned()
    } else if says(&[
        "quantity",
        "qty",
        "amount",
        "count",
        "age ",
        "number of",
        "数量",
        "年龄",
    ]) {
        number(field, draw)
    } else if says(&["date", "日期"]) {
        "2030-06-15".to_owned()
    } else if says(&[
        "search", "query", "keyword", "find", "filter", " q ", "搜索", "查询",
    ]) {
        draw.of(&["test", "a", "blue", "example"]).to_owned()
    } else if says(&["city", "town", "城市"]) {
        draw.of(&["Springfield", "Riverton", "Lakeside"]).to_owned()
    } else if says(&["country", "国家"]) {
        "Germany".to_owned()
    } else if says(&["state", "province", "region", "省"]) {
        "Bavaria".to_owned()
    } else if says(&["street", "address", "地址", "街道"]) {
        format!("{} Example Street", 1 + draw.below(200))
    } else if says(&["company", "organization", "organisation", "公司"]) {
        draw.of(&["Example Ltd", "Sample Works", "Probe GmbH"])
            .to_owned()
    } else if says(&["first name", "firstname", "given", "fname", "名字"]) {
        first_word(draw.of(&NAMES)).to_owned()
    } else if says(&[
        "last name",
        "lastname",
        "surname",
        "family",
        "lname",
        "姓氏",
    ]) {
        last_word(draw.of(&NAMES)).to_owned()
    } else if says(&["user", "login", "nick", "handle", "用户"]) {
        format!("tester{}", 10 + draw.below(90))
    } else if says(&["name", "姓名"]) {
        draw.of(&NAMES).to_owned()
    } else if says(&["color", "colour", "颜色"]) {
        "blue".to_owned()
    } else if matches!(field.kind.as_str(), "textarea" | "contenteditable") {
        "This is a test note.".to_owned()
    } else {
        draw.of(&["Test entry", "Sample text", "Example item"])
            .to_owned()
    }
}

/// A value at the edge of what a field takes, or `None` where the control offers no such choice.
pub(super) fn boundary(field: &Field, which: u32, draw: &mut Draw) -> Option<String> {
    match field.kind.as_str() {
        "color" => return None,
        "number" | "range" => {
            let bounds = [&field.min, &field.max];
            let bounds: Vec<_> = bounds.into_iter().flatten().collect();
            let fallback = ["0", "-1", "999999999"];
            let index = which as usize;
            return Some(if bounds.is_empty() {
                fallback[index % fallback.len()].to_owned()
            } else {
                bounds[index % bounds.len()].clone()
            });
        }
        "date" => return edge(field, which, ["1970-01-01", "9999-12-31", "2028-02-29"]),
        "time" => return edge(field, which, ["00:00", "23:59", "12:00"]),
        "month" => return edge(field, which, ["1970-01", "9999-12", "2028-02"]),
        "week" => return edge(field, which, ["1970-W01", "9999-W52", "2026-W53"]),
        "datetime-local" => {
            return edge(
                field,
                which,
                ["1970-01-01T00:00", "9999-12-31T23:59", "2028-02-29T12:00"],
            );
        }
        _ => {}
    }
    let _ = draw;
    Some(match which % 5 {
        0 => String::new(),
        1 => "x".repeat(field.max_length.unwrap_or(5_000).min(5_000)),
        2 => "🙂👩‍👩‍👧‍👦🇩🇪é".to_owned(),
        3 => "שלום \u{202e}abc مرحبا".to_owned(),
        _ => "'\"<b>&amp;</b>\\`${x}%s".to_owned(),
    })
}

fn edge(field: &Field, which: u32, fallback: [&str; 3]) -> Option<String> {
    let own: Vec<_> = [&field.min, &field.max].into_iter().flatten().collect();
    let index = which as usize;
    Some(if own.is_empty() {
        fallback[index % 3].to_owned()
    } else {
        own[index % own.len()].clone()
    })
}

/// Cuts a value to the field's greatest length, between characters, counted as a browser counts:
/// in UTF-16 units. Short values of free text are lengthened to the least length.
pub(super) fn fit(mut value: String, field: &Field) -> String {
    if let Some(least) = field.min_length.filter(|_| field.pattern.is_none()) {
        while !value.is_empty() && value.encode_utf16().count() < least.min(5_000) {
            value.push('x');
        }
    }
    let Some(most) = field.max_length else {
        return value;
    };
    let mut units = 0;
    value
        .chars()
        .take_while(|character| {
            units += character.len_utf16();
            units <= most
        })
        .collect()
}

fn email(draw: &mut Draw) -> String {
    format!("tester{}@example.com", 10 + draw.below(90))
}

/// A number of the range that is set aside for fiction.
fn phone(draw: &mut Draw) -> String {
    format!("202-555-01{:02}", draw.below(100))
}

fn url(draw: &mut Draw) -> String {
    format!("https://example.com/{}", draw.of(&["", "page", "test"]))
}

/// A number that is within the bounds and on a step.
fn number(field: &Field, draw: &mut Draw) -> String {
    let read = |text: &Option<String>| {
        text.as_deref()
            .and_then(|text| text.trim().parse::<f64>().ok())
    };
    let (min, max) = (read(&field.min), read(&field.max));
    let step = read(&field.step).filter(|step| *step > 0.0 && step.is_finite());
    let step = step.unwrap_or(1.0);
    let base = min.unwrap_or(0.0);
    let room = max.map_or(10.0, |max| ((max - base) / step).floor().clamp(0.0, 10.0));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 10"
    )]
    let steps = draw
        .below(room as u64 + 1)
        .max(u64::from(min.is_none() && room >= 1.0));
    #[expect(clippy::cast_precision_loss, reason = "between 0 and 10")]
    let value = match (min, max) {
        (None, Some(max)) if max < 0.0 => max,
        _ => base + steps as f64 * step,
    };
    let digits = decimals(field.step.as_deref()).max(decimals(field.min.as_deref()));
    format!("{value:.digits$}")
}

fn decimals(number: Option<&str>) -> usize {
    number
        .and_then(|number| number.trim().split_once('.'))
        .map_or(0, |(_, decimals)| decimals.len().min(9))
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

fn last_word(text: &str) -> &str {
    text.split(' ').next_back().unwrap_or_default()
}
