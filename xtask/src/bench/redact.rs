//! Redaction: how fast a log passes the engine on one core.

use std::fmt::Write as _;
use std::hint::black_box;

use clap::Args;
use qa_redact::{Redactor, RedactorConfig, Secret};
use rustix::time::{ClockId, clock_gettime};

use super::measure::{Bar, Comparison};
use crate::failure::Failure;

/// What the engine is held to, in MB/s.
const BAR: f64 = 50.0;
const MB: usize = 1_000_000;
/// As a file is read.
const CHUNK: usize = 64 << 10;

/// How to measure redaction.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Size of the log, in MB.
    #[arg(long, default_value_t = 100)]
    megabytes: usize,
    /// How often it is redacted.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Redacts one log, with and without registered secrets.
pub(super) fn measure(options: &Options) -> Result<Vec<Comparison>, Failure> {
    let log = log(options.megabytes * MB);
    let registered = [0, 3].map(|count| {
        let secrets = ["kp-9931-zebra", "Blau$Wal7 mit", "correct-horse-battery"];
        secrets.into_iter().take(count).map(Secret::new).collect()
    });
    let mut done = Vec::new();
    for secrets in registered {
        let what = match &secrets {
            none if Vec::is_empty(none) => "a log".to_owned(),
            some => format!("a log, {} registered secrets", some.len()),
        };
        let redactor = Redactor::new(RedactorConfig {
            secrets,
            ..RedactorConfig::default()
        })
        .map_err(|error| Failure::failed(error.to_string()))?;
        let mut ours = Vec::new();
        for _ in 0..options.rounds.max(1) {
            let start = seconds();
            let mut stream = redactor.stream();
            for chunk in log.as_bytes().chunks(CHUNK) {
                let safe = stream.push(chunk);
                black_box(safe.map_err(|error| Failure::failed(error.to_string()))?);
            }
            let rest = stream.finish();
            black_box(rest.map_err(|error| Failure::failed(error.to_string()))?);
            ours.push(log.len() as f64 / MB as f64 / (seconds() - start));
        }
        done.push(Comparison {
            what,
            ours,
            rival: vec![BAR],
            unit: "MB/s",
            bar: Bar::AtLeast(1.0),
        });
    }
    Ok(done)
}

/// The time that this thread had on a core: other work on the machine does not count.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A log as testers attach them to tickets: of a phone, of a server, of a service that writes JSON,
/// with stacks and, once in a hundred records, a secret. The same bytes each time.
fn log(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 1024);
    let mut dice = Dice(7);
    while log.len() < bytes {
        record(&mut log, &mut dice);
    }
    log
}

fn record(log: &mut String, dice: &mut Dice) {
    let (second, milli) = (dice.below(60), dice.below(1000));
    let (thread, number) = (1000 + dice.below(9000), dice.below(100_000));
    // Writing to a string cannot fail.
    let _ = match dice.below(100) {
        0..45 => {
            let (tag, message) = dice.of(&[
                ("I/ActivityManager", "Displayed com.example.shop/.checkout.CartActivity: +412ms"),
                ("D/OpenGLRenderer", "Swap behavior 1, render ahead 2"),
                ("W/Choreographer", "Skipped 31 frames! The application may be doing too much work on its main thread."),
                ("D/CartViewModel", "add item to cart, list has 3 entries, total 129.90 EUR"),
                ("I/art", "Background concurrent copying GC freed 23841(1233KB) AllocSpace objects, 12(784KB) LOS objects, 49% free"),
                ("V/InputDispatcher", "Delivering touch to (2311): action: 0x1, toolType: 1"),
            ]);
            writeln!(
                log,
                "11-30 01:43:{second:02}.{milli:03}  {thread}  {thread} {tag}: {message} #{number}"
            )
        }
        45..70 => {
            let path = dice.of(&[
                "/api/cart/items",
                "/static/js/main.3f2a9c1b.js",
                "/products/blue-kettle",
                "/healthz",
            ]);
            let status = dice.of(&["200", "304", "404", "500"]);
            writeln!(
                log,
                "203.0.113.{} - - [30/Nov/2026:01:43:{second:02} +0000] \"GET {path}?page={} HTTP/1.1\" {status} {number} \"-\" \"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\"",
                dice.below(255),
                dice.below(40),
            )
        }
        70..90 => writeln!(
            log,
            "{{\"time\":\"2026-11-30T01:43:{second:02}.{milli:03}Z\",\"level\":\"info\",\"service\":\"checkout\",\"message\":\"order accepted\",\"order\":{{\"id\":{number},\"items\":3,\"currency\":\"EUR\"}},\"duration_ms\":{milli},\"trace\":\"3f2b8c1e-9d47-4a6b-8e05-{thread:04}1d2f9a6b\"}}"
        ),
        90..99 => writeln!(
            log,
            "java.lang.IllegalStateException: Fragment already added: CheckoutFragment{{{number:x}}}\n\tat com.example.shop.checkout.CheckoutViewModel.onPayClicked(CheckoutViewModel.kt:{second})\n\tat com.example.shop.checkout.CheckoutFragment.lambda$onViewCreated$0(CheckoutFragment.java:{milli})\n\tat android.view.View.performClick(View.java:7448)\n\t... {second} more"
        ),
        _ => {
            let line = dice.of(&[
                "login user=ann password=tulip77 host=db1",
                "Authorization: Bearer abc.def-1",
                "{\"user\":\"ann.lee@mail.co\",\"sessionToken\":\"88aa11\",\"ok\":true}",
                "GET https://shop.test/reset?token=88aa11 from 192.168.1.23",
                "typed kp-9931-zebra into the field, then AKIAABCDEFGHIJKLMNOP",
            ]);
            writeln!(log, "11-30 01:43:{second:02}.{milli:03} {line}")
        }
    };
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        let index = usize::try_from(self.below(choices.len() as u64)).unwrap_or(0);
        choices[index]
    }
}
