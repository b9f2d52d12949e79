//! An address without what differs between things of one kind.

use super::mask_digits;

/// An address without host, and without what differs between things of one kind: numbers, UUIDs
/// and long hexadecimal parts of the path become `:n`, query keys are sorted and lose their
/// values, a fragment stays only where it is a route (`#/…`, `#!/…`).
#[must_use]
pub fn route_shape(url: &str) -> String {
    let (address, fragment) = match url.split_once('#') {
        Some((address, fragment)) => (address, Some(fragment)),
        None => (url, None),
    };
    let mut shape = path_and_query(without_authority(address));
    let route = fragment
        .map(|fragment| fragment.strip_prefix('!').unwrap_or(fragment))
        .filter(|fragment| fragment.starts_with('/'));
    if let Some(route) = route {
        shape.push('#');
        shape.push_str(&path_and_query(route));
    }
    shape
}

fn without_authority(address: &str) -> &str {
    match address.split_once("://") {
        Some((_, rest)) => rest.find(['/', '?']).map_or("/", |at| &rest[at..]),
        None => address,
    }
}

fn path_and_query(address: &str) -> String {
    let (path, query) = match address.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (address, None),
    };
    let path = if path.is_empty() { "/" } else { path };
    let mut shape = path
        .split('/')
        .map(|part| {
            let part = part.split(';').next().unwrap_or_default();
            if is_variable(part) { ":n" } else { part }
        })
        .collect::<Vec<_>>()
        .join("/");
    let mut keys: Vec<_> = query
        .unwrap_or_default()
        .split('&')
        .map(|pair| mask_digits(pair.split('=').next().unwrap_or_default()))
        .filter(|key| !key.is_empty())
        .collect();
    keys.sort();
    keys.dedup();
    if !keys.is_empty() {
        shape.push('?');
        shape.push_str(&keys.join("&"));
    }
    shape
}

/// Whether a part of a path names one thing of many.
fn is_variable(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    let hex = part.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let long = part.bytes().filter(u8::is_ascii_hexdigit).count() >= 8;
    digits > 0 && (digits == part.len() || hex && long)
}

#[cfg(test)]
mod tests {
    use super::*;

    // WEB-031
    #[test]
    fn a_route_is_what_things_of_one_kind_share() {
        let check = |url: &str, expected: &str| assert_eq!(route_shape(url), expected, "{url}");
        check("http://127.0.0.1:8000", "/");
        check("http://127.0.0.1:8000?b=1", "/?b");
        check(
            "https://shop.test/products/42?size=1&color=red",
            "/products/:n?color&size",
        );
        check(
            "https://shop.test/products/blue-shirt",
            "/products/blue-shirt",
        );
        check(
            "https://shop.test/u/550e8400-e29b-41d4-a716-446655440000/x",
            "/u/:n/x",
        );
        check("https://shop.test/c/deadbeefcafe", "/c/deadbeefcafe");
        check("https://shop.test/c/a1b2c3d4e5", "/c/:n");
        check("https://shop.test/a#top", "/a");
        check("https://shop.test/#/cart/7?x=1", "/#/cart/:n?x");
        check("https://shop.test/#!/cart", "/#/cart");
        check("https://shop.test/a;jsessionid=9F?f[0]=1&f[1]=2", "/a?f[#]");
        check("", "/");
    }
}
