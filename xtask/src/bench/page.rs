//! The pages that both sides read and click.

use std::fmt::Write;

/// The page at a path: `/nodes/N` has about N nodes, `/click` has a button that counts, `/steps` one
/// that says the step.
pub(super) fn at(path: &str) -> Option<String> {
    match path.strip_prefix("/nodes/") {
        Some(count) => Some(document(&sections(count.parse().ok()?))),
        None if path == "/steps" => Some(document(&format!("{STEPS}{}", sections(100)))),
        None if path == "/click" => Some(document(&format!("{COUNTER}{}", sections(100)))),
        None => None,
    }
}

/// What `/click` calls its counting button.
pub(super) const BUTTON: &str = "count-up";

const COUNTER: &str = "<button id=\"count-up\">Count up</button><output id=\"count\">0</output>
<script>
let count = 0;
document.getElementById('count-up').addEventListener('click', (event) => {
  if (!event.isTrusted) return;
  count += 1;
  document.title = `counted ${count}`;
  document.getElementById('count').textContent = count;
});
</script>";

const STEPS: &str = "<button id=\"next\">Next</button><p role=\"status\" id=\"step\"></p>
<script>
let count = 0;
document.getElementById('next').addEventListener('click', (event) => {
  if (!event.isTrusted) return;
  count += 1;
  document.title = `step ${count}`;
  document.getElementById('step').textContent = `Step ${count}`;
});
</script>";

/// How many nodes a section adds to an observation.
const NODES_PER_SECTION: usize = 20;

fn document(body: &str) -> String {
    format!("<!doctype html><html lang=\"en\"><title>bench</title><body><main>{body}</main></body>")
}

fn sections(nodes: usize) -> String {
    let mut html = String::new();
    for index in 0..nodes.div_ceil(NODES_PER_SECTION) {
        // Writing to a string cannot fail.
        let _ = write!(
            html,
            "<section aria-labelledby=\"head-{index}\">\
             <h2 id=\"head-{index}\">Part {index}</h2>\
             <p>Some words of part {index}, with <a href=\"#part-{index}\">a link</a> in them.</p>\
             <p><label for=\"name-{index}\">Name</label> <input id=\"name-{index}\" value=\"v\"> \
             <label><input type=\"checkbox\" checked> Remember part {index}</label> \
             <button id=\"save-{index}\" aria-describedby=\"head-{index}\">Save</button></p>\
             <ul><li>First of {index}</li><li><img alt=\"picture {index}\" width=\"16\" \
             height=\"16\" src=\"data:image/gif;base64,R0lGODlhAQABAAAAACw=\"></li></ul>\
             <details><summary>More of {index}</summary><p>Hidden words</p></details>\
             </section>"
        );
    }
    html
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn a_page_grows_with_its_number() {
        let length = |path: &str| at(path).map(|html| html.len());
        assert!(length("/nodes/1000") > length("/nodes/100"));
        assert!(length("/click").is_some() && length("/steps").is_some());
        assert_eq!(length("/nodes/many"), None);
        assert_eq!(length("/other"), None);
    }
}
