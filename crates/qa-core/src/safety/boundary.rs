//! Whose screens may be acted upon.

use crate::{Node, Observation, Platform};

/// Whose screens may be acted upon: a set of origins, or one package or bundle id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    platform: Platform,
    owners: Vec<String>,
}

/// Who owns what is in front (EXP section 22.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The app under test.
    Target,
    /// A dialog of the system that asks for a permission.
    Permission,
    /// Another app or origin.
    Foreign,
    /// The launcher or other system UI: the app is not in front at all.
    Launcher,
    /// Nobody could tell; nothing may be tapped.
    Undetermined,
}

impl Boundary {
    /// A boundary around origins (given as any URL of theirs), packages or bundle ids.
    #[must_use]
    pub fn new(platform: Platform, owners: Vec<String>) -> Self {
        let owners = match platform {
            Platform::Web => owners
                .iter()
                .map(|owner| origin(owner).unwrap_or_else(|| owner.clone()))
                .collect(),
            Platform::Android | Platform::Ios => owners,
        };
        Self { platform, owners }
    }

    /// Kind of app.
    #[must_use]
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// Origins, packages or bundle ids inside.
    #[must_use]
    pub fn owners(&self) -> &[String] {
        &self.owners
    }

    /// Who owns what is in front.
    #[must_use]
    pub fn place(&self, view: &Observation) -> Place {
        match self.platform {
            Platform::Web => self.place_on_web(view),
            Platform::Android => self.place_on_android(view),
            Platform::Ios => self.place_on_ios(view),
        }
    }

    /// Whether a URL leads to an allowed origin. What cannot be read is outside.
    #[must_use]
    pub fn contains_url(&self, url: &str) -> bool {
        origin(url).is_some_and(|origin| self.owners.contains(&origin))
    }

    /// Whether an element belongs to the app: it says so, or does not say.
    #[must_use]
    pub fn owns(&self, node: &Node) -> bool {
        match node.package.as_deref().map(str::trim) {
            None | Some("") => true,
            // The opaque origin of a sandboxed or generated frame of the page itself.
            Some("null") => self.platform == Platform::Web,
            Some(package) => {
                self.owners.iter().any(|owner| owner == package)
                    || self.platform == Platform::Web && self.contains_url(package)
            }
        }
    }

    fn place_on_web(&self, view: &Observation) -> Place {
        let address = view.url.as_deref().or(view.front.as_deref());
        match address {
            None | Some("" | "null") => Place::Undetermined,
            Some(url) if self.contains_url(url) => Place::Target,
            Some(_) => Place::Foreign,
        }
    }

    fn place_on_android(&self, view: &Observation) -> Place {
        let Some(front) = view.front.as_deref().filter(|front| !front.is_empty()) else {
            return Place::Undetermined;
        };
        if self.owners.iter().any(|owner| owner == front) {
            Place::Target
        } else if is_permission_controller(front) {
            Place::Permission
        } else if is_launcher(front) {
            Place::Launcher
        } else {
            Place::Foreign
        }
    }

    fn place_on_ios(&self, view: &Observation) -> Place {
        const SYSTEM: &str = "com.apple.springboard";
        let Some(front) = view.front.as_deref().filter(|front| !front.is_empty()) else {
            return Place::Undetermined;
        };
        let system_alert = view
            .nodes
            .iter()
            .any(|node| node.package.as_deref().unwrap_or(front) == SYSTEM && is_dialog(node))
            && permission_allow(view).is_some();
        if system_alert {
            Place::Permission
        } else if self.owners.iter().any(|owner| owner == front) {
            Place::Target
        } else if front == SYSTEM {
            Place::Launcher
        } else {
            Place::Foreign
        }
    }
}

/// The element that grants what a permission dialog asks for, if there is one. Its text equals
/// an allow word, or its id is the one stock Android gives that button (EXP-127, EXP-128).
#[must_use]
pub fn permission_allow(view: &Observation) -> Option<usize> {
    // In order of preference: once, while in use, always.
    const WORDS: [&str; 12] = [
        "allow",
        "允许",
        "ok",
        "好",
        "while using the app",
        "allow while using app",
        "仅在使用中允许",
        "仅在使用该应用时允许",
        "使用app时允许",
        "only this time",
        "始终允许",
        "always allow",
    ];
    const IDS: [&str; 2] = [
        "permission_allow_button",
        "permission_allow_foreground_only_button",
    ];
    let rank = |node: &Node| {
        if !node.flags.actionable || node.states.disabled == Some(true) {
            return None;
        }
        let text = node.text.as_deref().unwrap_or(&node.name);
        let text = super::text::plain(text);
        let by_word = WORDS.iter().position(|word| *word == text);
        by_word.or_else(|| {
            let id = node.id.as_deref()?;
            IDS.iter().position(|known| id.ends_with(known))
        })
    };
    view.nodes
        .iter()
        .enumerate()
        .filter_map(|(index, node)| rank(node).map(|rank| (rank, index)))
        .min()
        .map(|(_, index)| index)
}

fn is_dialog(node: &Node) -> bool {
    matches!(node.role.as_str(), "dialog" | "alertdialog" | "alert")
        || node.class.ends_with("Alert")
}

fn is_permission_controller(package: &str) -> bool {
    const KNOWN: [&str; 8] = [
        "com.android.permissioncontroller",
        "com.google.android.permissioncontroller",
        "com.samsung.android.permissioncontroller",
        "com.android.packageinstaller",
        "com.google.android.packageinstaller",
        "com.lbe.security.miui",
        "com.coloros.securitypermission",
        "com.vivo.permissionmanager",
    ];
    KNOWN.contains(&package)
}

fn is_launcher(package: &str) -> bool {
    const KNOWN: [&str; 4] = [
        "com.miui.home",
        "com.huawei.android.launcher",
        "com.oppo.launcher",
        "com.bbk.launcher2",
    ];
    KNOWN.contains(&package)
        || package
            .split('.')
            .any(|part| part.contains("launcher") || part == "home")
}

/// The origin of an absolute URL: scheme, host and, unless it is the scheme's own, port. `None`
/// for what has no host (`about:`, `javascript:`, `data:`) or cannot be read.
#[must_use]
pub fn origin(url: &str) -> Option<String> {
    let url = url.trim();
    let (scheme, rest) = url.split_once(':')?;
    if scheme.is_empty()
        || !scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        || !scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    if scheme == "blob" {
        return origin(rest);
    }
    // Browsers read a backslash as a slash in the schemes they know.
    let rest = rest.replace('\\', "/");
    let rest = rest.strip_prefix("//")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if scheme == "file" {
        return Some("file://".into());
    }
    let host = authority.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.contains(char::is_whitespace) {
        return None;
    }
    let default_port = match scheme.as_str() {
        "http" | "ws" => ":80",
        "https" | "wss" => ":443",
        _ => "",
    };
    let host = host.to_lowercase();
    let host = host
        .strip_suffix(default_port)
        .unwrap_or(&host)
        .trim_end_matches(':');
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Completeness, Flags};

    fn view(platform: Platform, front: Option<&str>) -> Observation {
        Observation {
            platform,
            front: front.map(str::to_owned),
            url: None,
            title: String::new(),
            viewport: (400.0, 800.0),
            nodes: Vec::new(),
            completeness: Completeness::default(),
            document: 1,
            animating: Vec::new(),
        }
    }

    fn button(text: &str) -> Node {
        Node {
            role: "button".into(),
            name: text.into(),
            flags: Flags {
                actionable: true,
                visible: true,
                ..Flags::default()
            },
            ..Node::default()
        }
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(origin(url).as_deref(), expected, "{url}");
        };
        check("http://127.0.0.1:8000/a?b#c", Some("http://127.0.0.1:8000"));
        check("HTTPS://Shop.Test:443", Some("https://shop.test"));
        check("http://shop.test:80/", Some("http://shop.test"));
        check("https://shop.test:80/", Some("https://shop.test:80"));
        check("https://shop.test@evil.test/", Some("https://evil.test"));
        check("https:\\\\evil.test\\shop.test", Some("https://evil.test"));
        check("blob:https://shop.test/1-2", Some("https://shop.test"));
        check("file:///a/b", Some("file://"));
        check("http://[::1]:3000/", Some("http://[::1]:3000"));
        for none in [
            "about:blank",
            "javascript:x()",
            "data:text/html,",
            "shop",
            "://",
            "http://",
        ] {
            check(none, None);
        }
    }

    // WEB-010
    #[test]
    fn a_page_is_inside_by_its_origin() {
        let boundary = Boundary::new(Platform::Web, vec!["http://127.0.0.1:8000/start".into()]);
        let place = |url: Option<&str>| {
            let mut view = view(Platform::Web, None);
            view.url = url.map(str::to_owned);
            boundary.place(&view)
        };
        assert_eq!(place(Some("http://127.0.0.1:8000/x")), Place::Target);
        assert_eq!(
            place(Some("http://127.0.0.1:8000.evil.test/")),
            Place::Foreign
        );
        assert_eq!(place(Some("http://127.0.0.1:8001/")), Place::Foreign);
        assert_eq!(place(Some("about:blank")), Place::Foreign);
        assert_eq!(place(None), Place::Undetermined);
    }

    // EXP section 22.3, EXP-TRAP-07
    #[test]
    fn a_phone_screen_is_inside_by_its_package() {
        let boundary = Boundary::new(Platform::Android, vec!["com.acme.app".into()]);
        let place = |front| boundary.place(&view(Platform::Android, front));
        assert_eq!(place(Some("com.acme.app")), Place::Target);
        assert_eq!(place(Some("com.acme.app.other")), Place::Foreign);
        assert_eq!(
            place(Some("com.android.permissioncontroller")),
            Place::Permission
        );
        assert_eq!(
            place(Some("com.google.android.apps.nexuslauncher")),
            Place::Launcher
        );
        assert_eq!(place(Some("com.android.systemui")), Place::Foreign);
        assert_eq!(place(None), Place::Undetermined);
    }

    // EXP-126, EXP-127
    #[test]
    fn an_ios_system_alert_is_a_permission_only_if_it_can_be_allowed() {
        let boundary = Boundary::new(Platform::Ios, vec!["com.acme.app".into()]);
        let mut screen = view(Platform::Ios, Some("com.apple.springboard"));
        assert_eq!(boundary.place(&screen), Place::Launcher);
        screen.nodes.push(Node {
            role: "alert".into(),
            ..Node::default()
        });
        screen.nodes.push(button("Don’t Allow"));
        assert_eq!(boundary.place(&screen), Place::Launcher);
        screen.nodes.push(button("Allow"));
        assert_eq!(boundary.place(&screen), Place::Permission);
    }

    // EXP-128, EXP-TRAP-06
    #[test]
    fn allow_is_an_exact_word_and_the_least_grant_comes_first() {
        let mut screen = view(Platform::Android, Some("com.android.permissioncontroller"));
        screen.nodes = [
            "Don't allow",
            "不允许",
            "Always Allow",
            "While using the app",
        ]
        .map(button)
        .to_vec();
        assert_eq!(permission_allow(&screen), Some(3));
        screen.nodes.push(button("允许"));
        assert_eq!(permission_allow(&screen), Some(4));
        screen.nodes.truncate(2);
        assert_eq!(permission_allow(&screen), None);
    }
}
