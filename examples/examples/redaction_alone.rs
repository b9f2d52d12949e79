//! Redaction without the rest: `cargo run -p qa-examples --example redaction_alone`.

use qa_redact::{FieldClass, Redactor, RedactorConfig, Root, Schema, Secret};

const STEP: Schema = &[
    ("/index", FieldClass::Count),
    ("/element_key", FieldClass::Selector),
    ("/typed", FieldClass::Secret),
    ("/screenshot", FieldClass::Path),
];

fn main() -> Result<(), qa_redact::RedactionError> {
    let redactor = Redactor::new(RedactorConfig {
        allowed_origins: vec!["http://127.0.0.1:8080".into()],
        roots: vec![Root {
            alias: "$ARTIFACTS".into(),
            path: "/srv/run7".into(),
        }],
        secrets: vec![Secret::new("kp-9931-zebra")],
        devices: vec!["R58M12ABCDE".into()],
    })?;
    for text in [
        "tapped role:button|Add to cart on http://127.0.0.1:8080/cart",
        "planted: cart total is NaN at checkout (/app.js:120:14)",
        "R58M12ABCDE sent q=eDprcC05OTMxLXplYnJh to https://api.shop.test/login?token=88aa",
        "Set-Cookie: sid=1; Path=/",
    ] {
        println!("{}", redactor.text(text)?);
    }
    let step = serde_json::json!({
        "index": 7, "element_key": "testid:add-3", "typed": "tulip77", "screenshot": "/srv/run7/step-0007.png",
    });
    println!("{}", redactor.record(STEP, &step)?.value.to_line());
    Ok(())
}
