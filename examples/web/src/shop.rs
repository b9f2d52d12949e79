//! The shop's routes: documents, assets and the JSON interface.

use std::sync::LazyLock;
use std::sync::atomic::Ordering;

use hyper::header::{CONTENT_SECURITY_POLICY, SET_COOKIE};
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use crate::asset;
use crate::reply::Reply;
use crate::request::Request;
use crate::server::Site;
use crate::session::Session;

/// Whether slowness and failure asked for by the options apply: to the JSON interface only.
pub(crate) fn can_be_slow(request: &Request) -> bool {
    request.path.starts_with("/api/")
        && !request.path.starts_with("/api/trap/")
        && request.path != "/api/control"
}

pub(crate) fn answer(site: &Site, request: &Request) -> Reply {
    let path = request.path.as_str();
    if let Some(name) = path.strip_prefix("/api/trap/") {
        let known = request.method == Method::POST && site.traps.touch(name);
        return Reply::json(&json!({})).status(if known {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        });
    }
    if path == "/api/control" {
        return control(site, request);
    }
    if let Some(route) = path.strip_prefix("/api/") {
        let work = |session: &mut Session| interface(site.faults, route, request, session);
        let (reply, cookie) = site.sessions.with(request.cookie(&site.cookie), work);
        return with_cookie(site, reply, cookie);
    }
    if path.starts_with("/assets/") || path.starts_with("/favicon") {
        return file(site, path);
    }
    if path.starts_with("/documents/") || path.starts_with("/frame/") {
        return document(site, path);
    }
    let (reply, cookie) = site
        .sessions
        .with(request.cookie(&site.cookie), |_| index(site));
    with_cookie(site, reply, cookie)
}

fn with_cookie(site: &Site, reply: Reply, cookie: Option<String>) -> Reply {
    match cookie {
        Some(id) => reply.header(
            SET_COOKIE,
            format!("{}={id}; Path=/; HttpOnly; SameSite=Lax", site.cookie),
        ),
        None => reply,
    }
}

/// The one document behind all client-side routes.
fn index(site: &Site) -> Reply {
    let template = include_str!("../shop/index.html");
    Reply::html(template.replace("{{foreign}}", &site.foreign_url))
}

fn file(site: &Site, path: &str) -> Reply {
    let name = match path {
        "/assets/plant.js" if site.faults => "assets/plant-on.js",
        "/assets/plant.js" => "assets/plant-off.js",
        "/assets/plant-on.js" | "/assets/plant-off.js" => return Reply::not_found(),
        "/favicon.ico" => "favicon.svg",
        _ => &path[1..],
    };
    asset::shop(name).map_or_else(Reply::not_found, |bytes| asset::reply(name, bytes))
}

fn document(site: &Site, path: &str) -> Reply {
    if site.faults && path == "/documents/annual.html" {
        return Reply::html("<!doctype html><html lang=en><title>Error</title><h1>The report fell off the shelf</h1><a href=/more>Back to the shop</a>")
            .status(StatusCode::INTERNAL_SERVER_ERROR);
    }
    let reply =
        asset::shop(&path[1..]).map_or_else(Reply::not_found, |bytes| asset::reply(path, bytes));
    match path {
        "/documents/terms.html" => reply.header(CONTENT_SECURITY_POLICY, "img-src 'self'"),
        _ => reply,
    }
}

/// `slow_ms` and `fail` (every how many-th answer) change at once; a missing or unreadable one stays as it is.
fn control(site: &Site, request: &Request) -> Reply {
    if !site.control {
        return Reply::not_found();
    }
    if let Some(slow_ms) = request
        .parameter("slow_ms")
        .and_then(|text| text.parse().ok())
    {
        site.slow_ms.store(slow_ms, Ordering::Relaxed);
    }
    if let Some(every) = request.parameter("fail").and_then(|text| text.parse().ok()) {
        site.fail_every.store(every, Ordering::Relaxed);
    }
    Reply::json(
        &json!({"slow_ms": site.slow_ms.load(Ordering::Relaxed), "fail": site.fail_every.load(Ordering::Relaxed)}),
    )
}

static CATALOG: LazyLock<Vec<Value>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../shop/catalog.json")).unwrap_or_default()
});

fn product(id: u64) -> Option<&'static Value> {
    CATALOG.iter().find(|product| product["id"] == id)
}

fn interface(faults: bool, route: &str, request: &Request, session: &mut Session) -> Reply {
    let parts: Vec<&str> = route.split('/').collect();
    let id = parts.get(1).and_then(|text| text.parse::<u64>().ok());
    let body = request.json();
    match (request.method.as_str(), parts.as_slice()) {
        ("GET", ["products"]) => Reply::json(&products(request.parameter("category"), "")),
        ("GET", ["products", _]) => id
            .and_then(product)
            .map_or_else(Reply::not_found, Reply::json),
        ("GET", ["reviews", _]) if faults && id == Some(6) => {
            failed(StatusCode::INTERNAL_SERVER_ERROR)
        }
        ("GET", ["reviews", _]) => {
            Reply::json(&json!([{"by": "Ada", "text": "It does what it says."}]))
        }
        ("GET", ["stock", _]) => Reply::json(&json!({"pieces": 3})),
        ("GET", ["broken-image"]) if faults => Reply::new("image/png", "this is no picture"),
        ("GET", ["search"]) => {
            Reply::json(&products(None, request.parameter("q").unwrap_or_default()))
        }
        ("POST", ["searches"]) if faults => failed(StatusCode::NOT_FOUND),
        ("POST", ["searches" | "newsletter"]) => done(),

        ("GET", ["cart"]) => Reply::json(&cart(session)),
        ("POST", ["cart"]) => match body["id"].as_u64().filter(|id| product(*id).is_some()) {
            Some(id) => {
                let quantity = session.cart.entry(id).or_default();
                *quantity = (*quantity + body["quantity"].as_u64().unwrap_or(1)).min(99);
                Reply::json(&cart(session))
            }
            None => Reply::not_found(),
        },
        ("POST", ["cart", "note"]) => {
            session.note = text(&body["note"]);
            done()
        }
        ("DELETE", ["cart"]) => {
            session.cart.clear();
            done()
        }
        ("POST", ["voucher"]) if faults => failed(StatusCode::INTERNAL_SERVER_ERROR),
        ("POST", ["voucher"]) => Reply::json(&json!({"message": "This voucher has been used."})),
        ("GET", ["checkout"]) => Reply::json(
            &json!({"address": session.address, "delivery": session.delivery, "message": session.message}),
        ),
        ("POST", ["checkout", "address"]) => {
            session.address = body;
            done()
        }
        ("POST", ["checkout", "delivery"]) => {
            session.delivery = body;
            done()
        }
        ("POST", ["checkout", "message"]) => {
            session.message = text(&body["message"]);
            done()
        }

        ("GET", ["saved"]) => Reply::json(
            &session
                .saved
                .iter()
                .filter_map(|id| product(*id))
                .cloned()
                .collect(),
        ),
        ("POST", ["saved"]) => {
            session
                .saved
                .extend(body["id"].as_u64().filter(|id| product(*id).is_some()));
            done()
        }
        ("DELETE", ["saved"]) => {
            session.saved.clear();
            done()
        }

        ("GET", ["me"]) => Reply::json(&json!({"user": session.user, "points": 120})),
        ("POST", ["login"]) => {
            session.user = Some(text(&body["email"]));
            done()
        }
        ("POST", ["logout"] | ["account", "delete"]) => {
            session.user = None;
            done()
        }
        ("POST", ["points"]) => Reply::json(&json!({"points": 120})),
        ("GET", ["orders"]) => Reply::json(&json!([order()])),
        ("GET", ["orders", "1001"]) => Reply::json(&order()),
        ("GET", ["track", _]) if faults => failed(StatusCode::SERVICE_UNAVAILABLE),
        ("GET", ["track", _]) => Reply::json(&json!({"where": "Your parcel is on a bicycle."})),
        ("GET", ["settings"]) => Reply::json(&session.settings),
        ("POST", ["settings"]) => {
            change_settings(&mut session.settings, &body);
            done()
        }

        ("GET", ["journal"]) => Reply::json(&journal(
            request
                .parameter("page")
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
        )),
        ("POST", ["chat"]) if faults => Reply::nothing(),
        ("POST", ["chat"]) => Reply::json(&json!({"reply": "We are out for lunch."})),
        ("GET", ["store-map"]) => Reply::json(
            &json!({"image": if faults { FORBIDDEN_MAP } else { "/assets/img/store.svg" }}),
        ),
        _ => Reply::not_found(),
    }
}

/// An address that the terms document's policy does not allow for images.
const FORBIDDEN_MAP: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E";

fn done() -> Reply {
    Reply::json(&json!({"ok": true}))
}

fn failed(status: StatusCode) -> Reply {
    Reply::json(&json!({"error": "planted"})).status(status)
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_default()
        .chars()
        .take(1_000)
        .collect()
}

fn products(category: Option<&str>, words: &str) -> Value {
    let words = words.to_lowercase();
    let holds = |product: &&Value| {
        let name = text(&product["name"]).to_lowercase();
        category.is_none_or(|category| product["category"] == category) && name.contains(&words)
    };
    CATALOG.iter().filter(holds).cloned().collect()
}

fn cart(session: &Session) -> Value {
    let lines = session
        .cart
        .iter()
        .filter_map(|(id, quantity)| Some((product(*id)?, *quantity)));
    let total: u64 = lines
        .clone()
        .map(|(product, quantity)| product["price"].as_u64().unwrap_or(0) * quantity)
        .sum();
    let items: Vec<Value> = lines
        .map(|(product, quantity)| json!({"id": product["id"], "name": product["name"], "price": product["price"], "quantity": quantity}))
        .collect();
    json!({"items": items, "total": total, "note": session.note})
}

fn order() -> Value {
    json!({"id": 1001, "placed": "2025-03-14", "total": 79, "what": "Copper Desk Lamp"})
}

fn change_settings(settings: &mut Value, change: &Value) {
    for name in ["nickname", "language", "news", "parcels"] {
        if let Some(value) = change
            .get(name)
            .filter(|value| value.is_boolean() || value.is_string())
        {
            settings[name] = value.clone();
        }
    }
}

fn journal(page: u64) -> Value {
    let letter = |number| match number {
        3 => Some("Read the loom letter"),
        12 => Some("Read the river letter"),
        21 => Some("Read the attic letter"),
        _ => None,
    };
    let page = page.min(2);
    let rows: Vec<Value> = (page * 8 + 1..=page * 8 + 8)
        .map(|number| json!({"number": number, "letter": letter(number)}))
        .collect();
    json!({"rows": rows, "next": (page < 2).then_some(page + 1)})
}
