//! Texts for tests: what an adversary could have written.

use proptest::prelude::*;

/// Texts made of pieces that rules look for, and of anything else.
pub(crate) fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "password", "token", "=", ": ", " ", "\n", "\"", "'", "\\\"", "{", "}", "[", "]", ",", ";", "&", "%3D",
            "%", "\\u003d", "&#61;", "Bearer ", "Authorization: ", "Cookie: a=1", "https://", "http://127.0.0.1:8080/a",
            "//u:p@h", "@", "ann@mail.co", "13800138000", "+86 ", "4111 1111 1111 1111", "eyJhbGci.eyJz.x", "\u{AD}",
            "\t", "\r\n", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "[REDACTED]", "[REDACTED", "_URL]",
            "$ARTIFACTS", "/srv/run7", "R58M12ABCDE", "密码", "是", "：", "OTP ", "4930", "192.168.1.23", "cGFzc3dvcmQ9dHVsaXA3Nw==",
            "Zx8Kq2Lm9Pv4Rt7Wy1Bn", "kp-9931-zebra", "\u{F0000}", "\u{2028}", "--password ", "name=\"token\" value=", "|\n ",
            "a", "sk-a1b2c3d4", "3c:22:fb:01:9a:7e", "00008110-000A1B2C3D4E801E", "serial: ", "access code ", " is your code",
            "2a00::1f", "1.2.3.4", "13800138000", "basic ", "--", "//", ":", "\n", "\t", "BEGIN", "value=\"", "PassWord",
            "<password>", "</password>", "<key>token</key>", "<string>", "</string>", "<token ", "mysql -p", "curl -u ", "&equals;", "userPASSWORD",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-zA-Z0-9 .,:=/-]{0,12}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}
