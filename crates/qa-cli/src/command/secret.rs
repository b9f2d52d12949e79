//! Values that their owner names as secrets; nothing here ever says one.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use qa_redact::Secret;

use crate::args::SecretArgs;
use crate::exit::Failure;
use crate::output;

/// More is no list of secrets.
const MAX_BYTES: u64 = 1 << 20;

/// All values that the options name. What is too short or too common to be looked for is warned about by its
/// place (RED-052).
pub(super) fn register(args: &SecretArgs) -> Result<Vec<Secret>, Failure> {
    let mut secrets = Vec::new();
    let mut add = |place: &str, value: String| {
        let secret = Secret::new(value);
        if !secret.is_searched() {
            output::say(&format!(
                "warning: the value of {place} is too short or too common to be looked for; it is hidden only where a \
                 key names it"
            ));
        }
        secrets.push(secret);
    };
    for name in &args.secret_env {
        let value = std::env::var(name).map_err(|_| {
            Failure::usage(format!("--secret-env {name} is not set, or is no UTF-8"))
                .hint("give the name of a variable, not its value, and export it first")
        })?;
        add(&format!("--secret-env {name}"), value);
    }
    if let Some(path) = &args.secrets {
        let refuse =
            |reason: String| Failure::usage(format!("--secrets {}: {reason}", path.display()));
        let text = read(path).map_err(|(reason, hint)| match hint {
            Some(hint) => refuse(reason).hint(hint),
            None => refuse(reason),
        })?;
        for (index, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
        {
            add(&format!("--secrets, line {}", index + 1), line.to_owned());
        }
    }
    Ok(secrets)
}

/// The text of a file that is its owner's alone, or why not and what to do.
fn read(path: &Path) -> Result<String, (String, Option<String>)> {
    let unreadable = |error: std::io::Error| (error.to_string(), None);
    // A pipe would be waited for.
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(("no regular file".into(), None));
    }
    let file = File::open(path).map_err(unreadable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            let reason = format!("the file is open to others than its owner (mode {mode:04o})");
            return Err((reason, Some(format!("chmod 600 {}", path.display()))));
        }
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err((format!("the file is larger than {MAX_BYTES} bytes"), None));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        (format!("line {line} is no UTF-8"), None)
    })
}
