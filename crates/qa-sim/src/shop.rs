//! The simulated shop of `qa demo --sim`, with its planted faults and traps.

use qa_core::CrashKind;
use serde::Serialize;

use crate::app::{Aftermath, Condition, Effect, Element, Screen, SimApp};

const PERMISSIONS: &str = "com.android.permissioncontroller";
const BROWSER: &str = "com.android.chrome";

/// A planted fault: where it is and what brings it about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Planted {
    /// Its name in the app, which is also in its signature.
    pub fault: &'static str,
    /// Its kind.
    pub kind: CrashKind,
    /// The screen on which the action that causes it is taken.
    pub screen: &'static str,
    /// The element of that action.
    pub element: &'static str,
    /// What it takes, for people.
    pub how: &'static str,
}

/// Every fault in [`demo_shop`].
pub const SHOP_FAULTS: &[Planted] = &[
    Planted {
        fault: "mystery_box",
        kind: CrashKind::Java,
        screen: "mystery",
        element: "open_box",
        how: "a tap",
    },
    Planted {
        fault: "catalogue_cursor",
        kind: CrashKind::Java,
        screen: "tea",
        element: "more",
        how: "the second visit of the catalogue since the start",
    },
    Planted {
        fault: "sync_worker",
        kind: CrashKind::Native,
        screen: "settings",
        element: "sync",
        how: "a tap, 1,200 ms later, with nothing to see until then",
    },
    Planted {
        fault: "address_parser",
        kind: CrashKind::Java,
        screen: "address",
        element: "save_address",
        how: "a form with valid fields",
    },
    Planted {
        fault: "location_denied",
        kind: CrashKind::Java,
        screen: "location_prompt",
        element: "permission_allow_button",
        how: "a permission that is granted",
    },
    Planted {
        fault: "invoice_deadlock",
        kind: CrashKind::Anr,
        screen: "orders",
        element: "invoice",
        how: "a tap that blocks the main thread",
    },
    Planted {
        fault: "large_text_start",
        kind: CrashKind::Java,
        screen: "settings",
        element: "restart",
        how: "a restart with large text switched on",
    },
    Planted {
        fault: "rating_script",
        kind: CrashKind::Js,
        screen: "help",
        element: "rate",
        how: "a tap that the app survives",
    },
    Planted {
        fault: "coupon_codec",
        kind: CrashKind::Native,
        screen: "cart",
        element: "coupon",
        how: "a tap on what is there only once the cart holds something",
    },
    Planted {
        fault: "chat_socket",
        kind: CrashKind::Java,
        screen: "help",
        element: "chat",
        how: "waiting 400 ms on the chat",
    },
];

/// The names of the elements in [`demo_shop`] that must never be touched, as `screen/element`.
pub const SHOP_TRAPS: &[&str] = &[
    "review/pay_now",
    "settings/logout",
    "profile/delete_account",
    "tea/buy_now",
];

/// The simulated shop of `qa demo --sim`.
#[must_use]
pub fn demo_shop() -> SimApp {
    let app = SimApp::new("com.example.shop", "home");
    let app = rooms(app);
    let app = products(app);
    let app = checkout(app);
    let app = outside(app);
    faults(app)
}

fn fault(name: &str) -> Effect {
    Effect::Fault(name.into())
}

fn go(screen: &str) -> Effect {
    Effect::Go(screen.into())
}

fn add(counter: &str) -> Effect {
    Effect::Add(counter.into(), 1)
}

fn at_least(counter: &str, value: i64) -> Condition {
    Condition::AtLeast(counter.into(), value)
}

/// Home and what hangs on it.
fn rooms(app: SimApp) -> SimApp {
    let home = Screen::new("home", "Shop")
        .with(Element::new("heading", "welcome", "Welcome to the shop"))
        .with(Element::text("clock", "Open for {clock_s} s"))
        .with(Element::link("catalogue", "Catalogue", "catalogue"))
        .with(Element::link("wishlist", "Wishlist", "wishlist"))
        .with(Element::link("cart", "Cart ({cart})", "cart"))
        .with(Element::link("orders", "Orders", "orders"))
        .with(Element::link("profile", "Profile", "profile"))
        .with(Element::link("stores", "Stores", "stores"))
        .with(Element::link("help", "Help", "help"))
        .on_enter(Effect::When(
            at_least("large_text", 1),
            vec![fault("large_text_start")],
        ));
    let wishlist = Screen::new("wishlist", "Wishlist")
        .with(Element::new("heading", "wishes", "Your wishes"))
        .with(Element::text("wish", "A quiet room"));
    let orders = Screen::new("orders", "Orders")
        .with(Element::new("heading", "past", "Past orders"))
        .with(Element::text("order", "Order 4711"))
        .with(Element::button(
            "invoice",
            "Make invoice",
            [fault("invoice_deadlock")],
        ));
    let profile = Screen::new("profile", "Profile")
        .with(Element::new("heading", "name", "Quinn Example"))
        .with(Element::link("settings", "Settings", "settings"))
        .with(Element::link("address", "Address", "address"))
        .with(Element::button("delete_account", "Delete account", [go("home")]).trap());
    let settings = Screen::new("settings", "Settings")
        .with(Element::checkbox("large_text", "Large text", "large_text"))
        .with(Element::button(
            "restart",
            "Restart the app",
            [Effect::Restart],
        ))
        .with(Element::button(
            "sync",
            "Sync now",
            [Effect::After(1200, vec![fault("sync_worker")])],
        ))
        .with(Element::button("logout", "Log out", [Effect::Replace("home".into())]).trap());
    let help = Screen::new("help", "Help")
        .with(Element::new("heading", "how", "How can we help?"))
        .with(Element::link("chat", "Chat", "chat"))
        .with(Element::button(
            "rate",
            "Rate the app",
            [fault("rating_script"), add("rated")],
        ))
        .with(Element::link("terms", "Terms", "browser"));
    let chat = Screen::new("chat", "Chat")
        .with(Element::text("hello", "Somebody will be with you soon"))
        .on_enter(Effect::After(400, vec![fault("chat_socket")]));
    app.screen(home)
        .screen(wishlist)
        .screen(orders)
        .screen(profile)
        .screen(settings)
        .screen(help)
        .screen(chat)
}

fn products(app: SimApp) -> SimApp {
    let mut catalogue = Screen::new("catalogue", "Catalogue")
        .with(Element::new("heading", "all", "All products"))
        .with(Element::link("tea", "Green tea", "tea"))
        .with(Element::link("lamp", "Lamp", "lamp"))
        .with(Element::link("mystery", "Mystery box", "mystery"))
        .with(Element::button("sort", "Sort by price", [add("sorted")]))
        .on_enter(Effect::When(
            Condition::Visited("catalogue".into(), 2),
            vec![fault("catalogue_cursor")],
        ));
    catalogue.animation_ms = 250;
    let product = |id: &str, title: &str| {
        Screen::new(id, title)
            .with(Element::new("heading", "title", title))
            .with(Element::text("price", "Price on request"))
            .with(Element::button(
                "add",
                "Add to cart",
                [add("cart"), go("added")],
            ))
    };
    let tea = product("tea", "Green tea")
        .with(Element::link("more", "More products", "catalogue"))
        .with(Element::button("buy_now", "Buy now", [go("review")]).trap());
    let lamp = product("lamp", "Lamp").with(
        Element::new("group", "zoom_box", "")
            .with(Element::button("zoom", "Zoom", [add("zoomed")]))
            .with(Element::text("zoom_level", "Zoom {zoomed}")),
    );
    let mystery = product("mystery", "Mystery box").with(Element::button(
        "open_box",
        "Open the box",
        [fault("mystery_box")],
    ));
    let added = Screen::new("added", "Added to cart")
        .dialog()
        .with(Element::text("done", "It is in your cart"))
        .with(Element::button(
            "to_cart",
            "Show cart",
            [Effect::Replace("cart".into())],
        ))
        .with(Element::button("go_on", "Go on", [Effect::Back]));
    app.screen(catalogue)
        .screen(tea)
        .screen(lamp)
        .screen(mystery)
        .screen(added)
}

fn checkout(app: SimApp) -> SimApp {
    let something = at_least("cart", 1);
    let cart = Screen::new("cart", "Cart")
        .with(Element::new("heading", "in_cart", "{cart} in your cart"))
        .with(
            Element::new("list", "rows", "")
                .with(Element::text("row", "Item {row}").repeat("cart")),
        )
        .with(Element::link("review", "Check out", "review").shown_if(something.clone()))
        .with(
            Element::button("coupon", "Use a coupon", [fault("coupon_codec")]).shown_if(something),
        );
    let review = Screen::new("review", "Review")
        .with(Element::new("heading", "sum", "Almost done"))
        .with(Element::link("change_address", "Change address", "address"))
        .with(Element::button("pay_now", "Pay now", [add("paid")]).trap());
    let address = Screen::new("address", "Address").with(
        Element::new("form", "address_form", "Address")
            .with(Element::field("full_name", "Full name", "text", true))
            .with(Element::field("email", "Email", "email", true))
            .with(
                Element::button(
                    "save_address",
                    "Save",
                    [Effect::IfValid(vec![fault("address_parser")])],
                )
                .submits(),
            ),
    );
    app.screen(cart).screen(review).screen(address)
}

/// What leads out of the app, and what the system puts in front of it.
fn outside(app: SimApp) -> SimApp {
    let stores = Screen::new("stores", "Stores")
        .with(Element::new("heading", "near", "Stores near you"))
        .with(Element::link(
            "locate",
            "Use my location",
            "location_prompt",
        ))
        .with(Element::text("list", "No store is near"));
    let prompt = Screen::new("location_prompt", "Permission")
        .owned_by(PERMISSIONS)
        .dialog()
        .with(Element::text(
            "permission_message",
            "Allow Shop to access this device's location?",
        ))
        .with(Element::button(
            "permission_allow_button",
            "Allow",
            [
                Effect::Back,
                Effect::After(300, vec![fault("location_denied")]),
            ],
        ))
        .with(Element::button(
            "permission_deny_button",
            "Don't allow",
            [Effect::Back],
        ));
    let browser = Screen::new("browser", "Terms - Browser")
        .owned_by(BROWSER)
        .with(Element::text("terms", "Terms and conditions"))
        .with(Element::button("bookmark", "Bookmark", [add("bookmarks")]).trap());
    app.screen(stores).screen(prompt).screen(browser)
}

fn faults(mut app: SimApp) -> SimApp {
    for planted in SHOP_FAULTS {
        let (leaves, message) = match planted.fault {
            "invoice_deadlock" => (Aftermath::Hung, "the main thread is blocked"),
            "rating_script" => (Aftermath::Running, "undefined is not a function"),
            "sync_worker" => (Aftermath::Gone, "null pointer dereference in libsync.so"),
            "coupon_codec" => (Aftermath::Launcher, "stack corruption in libcoupon.so"),
            _ => (Aftermath::Launcher, "the shop met something unexpected"),
        };
        app = app.fault(planted.fault, planted.kind, leaves, message);
    }
    app
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shop_holds_together() {
        let shop = demo_shop();
        shop.check().unwrap();
        assert!(shop.screens.len() >= 12, "{}", shop.screens.len());
        for planted in SHOP_FAULTS {
            let screen = shop.find(planted.screen).unwrap();
            let known = screen
                .all_elements()
                .iter()
                .any(|element| element.id == planted.element);
            assert!(known, "{}/{}", planted.screen, planted.element);
        }
        for trap in SHOP_TRAPS {
            let (screen, element) = trap.split_once('/').unwrap();
            let elements = shop.find(screen).unwrap().all_elements();
            assert!(elements.iter().any(|e| e.id == element && e.trap), "{trap}");
        }
    }

    #[test]
    fn the_shop_survives_a_round_trip_through_json() {
        let shop = demo_shop();
        let text = serde_json::to_string(&shop).unwrap();
        assert_eq!(SimApp::from_json(&text), Ok(shop));
    }
}
