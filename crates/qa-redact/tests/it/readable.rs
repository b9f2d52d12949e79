//! A report in which nobody can see which button was pressed is a failed redaction.

use qa_redact::{Redactor, RedactorConfig};

#[test]
fn what_testers_need_stays() {
    // RED-042, RED-071, RED-075
    let redactor =
        Redactor::new(RedactorConfig::default()).expect("an empty configuration is valid");
    for text in [
        "role:button|Add to cart",
        "testid:add-3",
        "css:main>div:nth-of-type(2)",
        "label:Password",
        "role:textbox|E-mail address",
        "    at checkout (/app.js:120:14)",
        "    at async Promise.all (index 0)",
        "TypeError: Cannot read properties of undefined (reading 'price')",
        "planted: cart total is NaN",
        "java.lang.IllegalStateException: Fragment already added: CheckoutFragment{4f1c2d3}",
        "\tat com.example.shop.checkout.CheckoutViewModel.onPayClicked(CheckoutViewModel.kt:57)"
            .trim_start(),
        "#00 pc 000000000004f4c8  /apex/com.android.runtime/lib64/bionic/libc.so (abort+168)",
        "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010",
        "2   Shop  0x0000000104a3c2f0 CartViewController.reload() + 128",
        "step-0007.png",
        "page 1a2b3c4d5e6f, commit da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "anna.tester@example.com called 415-555-0132",
        "Forgot password? Basic settings, 12 passed, 3 failed",
        "price 1,299.00 EUR, #4f46e5, 2026-11-30T01:43:48.123Z, 10:15:30",
        "bounds [0,0][1080,2400] 1920x1080",
        "[REDACTED] and [REDACTED_URL] in $ARTIFACTS/a on $DEVICE_1",
        "android.widget.EditText com.example.shop:id/checkout_button",
        "GET 404 xhr, exit code 137, HTTP status code 500, version 10.4.2.1",
        "购物车里有三件商品，请在十五分钟内完成支付否则订单将会自动取消",
        "3f2b8c1e-9d47-4a6b-8e05-7c1d2f9a6b34",
        "👩\u{200D}💻 Entwickler:in öffnet Menü",
    ] {
        let safe = redactor.text(text).expect("the text is redacted");
        assert_eq!(safe.as_str(), text);
    }
}
