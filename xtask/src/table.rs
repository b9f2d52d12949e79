//! Plain-text tables.

/// Prints rows under a heading, each column as wide as its widest cell. A cell that begins with a
/// digit is set to the right.
pub(crate) fn print(heading: &[&str], rows: &[Vec<String>]) {
    print!("{}", render(heading, rows));
}

fn render(heading: &[&str], rows: &[Vec<String>]) -> String {
    let heading: Vec<String> = heading.iter().map(|&cell| cell.to_owned()).collect();
    let widths: Vec<usize> = (0..heading.len())
        .map(|column| {
            std::iter::once(&heading)
                .chain(rows)
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let rule = widths.iter().map(|&width| "-".repeat(width)).collect();
    let mut text = String::new();
    for row in [&heading, &rule].into_iter().chain(rows) {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| {
                if cell.starts_with(|first: char| first.is_ascii_digit()) {
                    format!("{cell:>width$}")
                } else {
                    format!("{cell:<width$}")
                }
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            vec!["click".to_owned(), "9 ms".to_owned()],
            vec!["fill".to_owned(), "12 ms".to_owned()],
        ];
        assert_eq!(
            render(&["what", "time"], &rows),
            "what   time\n-----  -----\nclick   9 ms\nfill   12 ms\n"
        );
    }
}
