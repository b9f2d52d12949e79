//! Medians, ratios, and the bars they are held to.

use crate::failure::Failure;
use crate::table;

/// What both sides did, and what the ratio must be.
#[derive(Debug)]
pub(super) struct Comparison {
    /// What was done.
    pub(super) what: String,
    /// Our figures.
    pub(super) ours: Vec<f64>,
    /// The rival's figures, or the one fixed figure where there is no rival.
    pub(super) rival: Vec<f64>,
    /// What the figures count (`ms`, `%`, `MB/s`).
    pub(super) unit: &'static str,
    /// What ours divided by the rival's must be.
    pub(super) bar: Bar,
}

/// A bar for a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bar {
    /// Smaller is better.
    AtMost(f64),
    /// Larger is better.
    AtLeast(f64),
    /// For information.
    None,
}

impl Bar {
    fn holds(self, ratio: f64) -> bool {
        match self {
            Self::AtMost(bar) => ratio <= bar,
            Self::AtLeast(bar) => ratio >= bar,
            Self::None => true,
        }
    }
}

impl std::fmt::Display for Bar {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtMost(bar) => write!(formatter, "<= {bar}"),
            Self::AtLeast(bar) => write!(formatter, ">= {bar}"),
            Self::None => formatter.write_str("-"),
        }
    }
}

impl Comparison {
    fn ratio(&self) -> f64 {
        median(&self.ours) / median(&self.rival)
    }

    fn holds(&self) -> bool {
        self.bar.holds(self.ratio())
    }

    fn row(&self) -> Vec<String> {
        let verdict = match (self.bar, self.holds()) {
            (Bar::None, _) => "-",
            (_, true) => "ok",
            (_, false) => "MISSED",
        };
        vec![
            self.what.clone(),
            self.ours.len().to_string(),
            format!("{:.1} {}", median(&self.ours), self.unit),
            format!("{:.1} {}", median(&self.rival), self.unit),
            format!("{:.2}", self.ratio()),
            self.bar.to_string(),
            verdict.to_owned(),
        ]
    }
}

/// Prints all comparisons; a bar that is missed fails the task.
pub(super) fn print(comparisons: &[Comparison]) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> = comparisons.iter().map(Comparison::row).collect();
    table::print(
        &[
            "what", "rounds", "ours", "against", "ratio", "bar", "verdict",
        ],
        &rows,
    );
    let missed = comparisons.iter().filter(|it| !it.holds()).count();
    if missed == 0 {
        return Ok(());
    }
    Err(Failure::failed(format!("{missed} bars missed")))
}

/// The middle value; of an even number of values the mean of the two in the middle. Not a number
/// without values.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[length / 2],
        length => f64::midpoint(sorted[length / 2 - 1], sorted[length / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Comparison, median};

    #[test]
    fn the_median_is_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
    }

    #[test]
    fn a_ratio_that_cannot_be_told_misses_its_bar() {
        let comparison = |ours: &[f64], bar| Comparison {
            what: "click".into(),
            ours: ours.to_vec(),
            rival: vec![10.0],
            unit: "ms",
            bar,
        };
        assert!(comparison(&[5.0], Bar::AtMost(0.5)).holds());
        assert!(!comparison(&[6.0], Bar::AtMost(0.5)).holds());
        assert!(comparison(&[25.0], Bar::AtLeast(2.5)).holds());
        assert!(!comparison(&[], Bar::AtMost(0.5)).holds());
        assert!(!comparison(&[], Bar::AtLeast(2.5)).holds());
    }
}
