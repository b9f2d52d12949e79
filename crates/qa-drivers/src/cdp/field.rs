//! What goes into a form control, and whether it took it (WEB-052).

use qa_core::{NodeRef, ReceiptStatus};
use serde_json::json;

use super::input::{Stop, ask, confirmed, key_stroke, locate, quote};
use super::page::{DEADLINE, Page};

/// What becomes of the text that a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    Replace,
    Append,
}

/// Types a text into a field in one piece, so that it goes nowhere else, and reads the field back.
pub(super) async fn enter(
    page: &Page<'_>,
    node_ref: &NodeRef,
    text: &str,
    entry: Entry,
    sent: &mut bool,
) -> Result<(), Stop> {
    let (world, raw) = locate(page, node_ref)?;
    let raw = quote(raw);
    let appends = entry == Entry::Append;
    let question = format!("__qa.focusForFill({raw}, {{append:{appends}}})");
    let refuse = |code, reason: &str| {
        let status = ReceiptStatus::Rejected;
        Err(Stop::Receipt(status, code, reason.to_owned()))
    };
    let field = match ask(page, &world, &question, DEADLINE).await {
        // REP-030
        Err(Stop::Refused(code, _)) if code == "TARGET_NOT_EDITABLE" => {
            return refuse("TARGET_NOT_EDITABLE", "the field cannot be edited");
        }
        Err(Stop::Refused(code, reason)) if code == "TARGET_DISABLED" => {
            return refuse("TARGET_DISABLED", &reason);
        }
        other => other?,
    };
    if field.secret {
        return refuse("SECURE_FIELD_REFUSED", "secret fields are never typed into");
    }
    if field.readonly || field.disabled || !field.editable {
        return refuse("TARGET_NOT_EDITABLE", "the field cannot be edited");
    }
    let read = format!("__qa.readValue({raw})");
    let held = match entry {
        Entry::Replace => String::new(),
        Entry::Append => {
            let held = ask(page, &world, &read, DEADLINE).await?;
            held.value.unwrap_or_default()
        }
    };
    let wanted = held + text;
    *sent = true;
    // Fields with a picker of their own (date, colour, range) take no typed text.
    let question = format!("__qa.setPicked({raw}, {})", quote(text));
    match ask(page, &world, &question, DEADLINE).await {
        Ok(_) => {}
        Err(Stop::Refused(code, _)) if code == "NOT_PICKED" => {
            if text.is_empty() {
                key_stroke(page, "Delete").await?;
            } else {
                let params = json!({"text": text});
                let session = Some(page.session.as_str());
                confirmed([page.connection.send(session, "Input.insertText", &params)]).await?;
            }
        }
        Err(stop) => return Err(stop),
    }
    let read = ask(page, &world, &read, DEADLINE).await?;
    if read.withheld {
        return refuse("SECURE_FIELD_REFUSED", "the field became secret");
    }
    let value = read.value.unwrap_or_default();
    if value == wanted {
        Ok(())
    } else {
        let value = qa_core::clip(&value, 80);
        let reason = format!("the field holds {value:?} after typing");
        Err(Stop::Refused("VALUE_NOT_TAKEN".into(), reason))
    }
}

/// Chooses an option of a list, by its label or else its value.
pub(super) async fn select(
    page: &Page<'_>,
    node_ref: &NodeRef,
    option: &str,
    sent: &mut bool,
) -> Result<(), Stop> {
    let (world, raw) = locate(page, node_ref)?;
    for by in ["label", "value"] {
        let (raw, option) = (quote(raw), quote(option));
        let question = format!("__qa.selectOption({raw}, {{{by}:{option}}})");
        match ask(page, &world, &question, DEADLINE).await {
            Err(Stop::Refused(code, _)) if code == "OPTION_NOT_FOUND" && by == "label" => {}
            Err(stop) => {
                // A page that goes away or hangs in its own listener has taken the choice.
                *sent |= matches!(stop, Stop::Call(_));
                return Err(stop);
            }
            Ok(_) => {
                *sent = true;
                break;
            }
        }
    }
    Ok(())
}
