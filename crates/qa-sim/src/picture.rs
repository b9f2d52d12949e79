//! Pictures of a simulated screen: a box for each element, with its label.

use qa_core::{Image, Node, Observation};

/// Screen pixels for one pixel of the picture.
const SCALE: f64 = 4.0;
const PALETTE: [[u8; 3]; 7] = [
    [246, 246, 248],
    [33, 37, 41],
    [30, 100, 200],
    [255, 255, 255],
    [214, 218, 224],
    [226, 232, 240],
    [120, 130, 144],
];
const PAGE: u8 = 0;
const INK: u8 = 1;
const CONTROL: u8 = 2;
const PAPER: u8 = 3;
const BAR: u8 = 4;
const GROUP: u8 = 5;
const FRAME: u8 = 6;

/// Draws what an observation shows. Equal observations give equal bytes.
pub(crate) fn draw(view: &Observation) -> Image {
    let mut canvas = Canvas::new(scaled(view.viewport.0), scaled(view.viewport.1));
    canvas.fill(0, 0, canvas.width, 32, BAR);
    canvas.write(10, 10, &view.title, INK);
    for node in view.nodes.iter().skip(1) {
        draw_node(&mut canvas, node);
    }
    Image {
        extension: "png",
        bytes: canvas.encode(),
    }
}

fn scaled(length: f64) -> usize {
    // A screen is never wider than a few thousand pixels, and a negative length is none.
    (length / SCALE).clamp(0.0, 4096.0) as usize
}

fn draw_node(canvas: &mut Canvas, node: &Node) {
    let Some(bounds) = node.bounds else { return };
    let (x, y) = (scaled(bounds.x), scaled(bounds.y));
    let (width, height) = (scaled(bounds.width), scaled(bounds.height));
    let (paper, ink) = match node.role.as_str() {
        "text" | "heading" => (None, INK),
        "textbox" | "searchbox" | "combobox" | "checkbox" | "switch" => (Some(PAPER), INK),
        _ if node.flags.actionable => (Some(CONTROL), PAPER),
        _ => (Some(GROUP), INK),
    };
    if let Some(paper) = paper {
        canvas.fill(x, y, width, height, FRAME);
        canvas.fill(
            x + 1,
            y + 1,
            width.saturating_sub(2),
            height.saturating_sub(2),
            paper,
        );
    }
    let label = match node.value.as_deref() {
        Some(value) if !value.is_empty() => format!("{}: {value}", node.name),
        _ => node.name.clone(),
    };
    canvas.write(x + 8, y + 8, &label, ink);
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self {
            width,
            height,
            pixels: vec![PAGE; width * height],
        }
    }

    fn fill(&mut self, x: usize, y: usize, width: usize, height: usize, color: u8) {
        let right = (x + width).min(self.width);
        for row in y..(y + height).min(self.height) {
            if x < right {
                self.pixels[row * self.width + x..row * self.width + right].fill(color);
            }
        }
    }

    fn write(&mut self, x: usize, y: usize, text: &str, color: u8) {
        const ZOOM: usize = 2;
        for (index, character) in text.chars().enumerate() {
            let left = x + index * 4 * ZOOM;
            for (bit, lit) in glyph(character).into_iter().enumerate() {
                if lit {
                    let (column, row) = (bit % 3, bit / 3);
                    self.fill(left + column * ZOOM, y + row * ZOOM, ZOOM, ZOOM, color);
                }
            }
        }
    }

    /// Encoding into memory cannot fail; were it to, an empty picture says so.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let (Ok(width), Ok(height)) = (u32::try_from(self.width), u32::try_from(self.height))
        else {
            return bytes;
        };
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(PALETTE.concat());
        encoder.set_compression(png::Compression::Fast);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.pixels));
        if written.is_err() {
            bytes.clear();
        }
        bytes
    }
}

/// Three columns and five rows of a letter, from the top left. Letters have one case.
fn glyph(character: char) -> [bool; 15] {
    let rows: [u8; 5] = match character.to_ascii_uppercase() {
        'A' => [2, 5, 7, 5, 5],
        'B' => [6, 5, 6, 5, 6],
        'C' => [3, 4, 4, 4, 3],
        'D' => [6, 5, 5, 5, 6],
        'E' => [7, 4, 6, 4, 7],
        'F' => [7, 4, 6, 4, 4],
        'G' => [3, 4, 5, 5, 3],
        'H' => [5, 5, 7, 5, 5],
        'I' => [7, 2, 2, 2, 7],
        'J' => [1, 1, 1, 5, 2],
        'K' => [5, 5, 6, 5, 5],
        'L' => [4, 4, 4, 4, 7],
        'M' => [5, 7, 7, 5, 5],
        'N' => [6, 5, 5, 5, 5],
        'O' => [2, 5, 5, 5, 2],
        'P' => [6, 5, 6, 4, 4],
        'Q' => [2, 5, 5, 6, 3],
        'R' => [6, 5, 6, 5, 5],
        'S' => [3, 4, 2, 1, 6],
        'T' => [7, 2, 2, 2, 2],
        'U' => [5, 5, 5, 5, 7],
        'V' => [5, 5, 5, 5, 2],
        'W' => [5, 5, 7, 7, 5],
        'X' => [5, 5, 2, 5, 5],
        'Y' => [5, 5, 2, 2, 2],
        'Z' => [7, 1, 2, 4, 7],
        '0' => [7, 5, 5, 5, 7],
        '1' => [2, 6, 2, 2, 7],
        '2' => [6, 1, 2, 4, 7],
        '3' => [6, 1, 2, 1, 6],
        '4' => [5, 5, 7, 1, 1],
        '5' => [7, 4, 6, 1, 6],
        '6' => [3, 4, 7, 5, 7],
        '7' => [7, 1, 2, 2, 2],
        '8' => [7, 5, 7, 5, 7],
        '9' => [7, 5, 7, 1, 6],
        '.' => [0, 0, 0, 0, 2],
        ',' => [0, 0, 0, 2, 4],
        ':' => [0, 2, 0, 2, 0],
        '-' => [0, 0, 7, 0, 0],
        '\'' => [2, 2, 0, 0, 0],
        '@' => [7, 5, 7, 4, 3],
        '(' => [1, 2, 2, 2, 1],
        ')' => [4, 2, 2, 2, 4],
        ' ' => [0; 5],
        _ => [7, 5, 5, 5, 7],
    };
    std::array::from_fn(|bit| rows[bit / 3] & (4 >> (bit % 3)) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // A glyph is read row by row from the left.
    #[test]
    fn letters_are_drawn_upright() {
        let rows: Vec<String> = glyph('L')
            .chunks(3)
            .map(|row| row.iter().map(|&lit| if lit { '#' } else { '.' }).collect())
            .collect();
        assert_eq!(rows, ["#..", "#..", "#..", "#..", "###"]);
    }
}
