//! Which rules replaced something, and how often.

/// A family of rules, as a report names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rule {
    /// Private keys and certificates in their armour.
    KeyBlock,
    /// Addresses with a scheme.
    Url,
    /// Registered values, in any encoding.
    Secret,
    /// Identifiers of devices, registered or known by shape.
    Device,
    /// Values of sensitive keys, authorization headers and cookies.
    Pair,
    /// Tokens that bear their issuer's prefix.
    Token,
    /// E-mail addresses.
    Email,
    /// Telephone numbers.
    Phone,
    /// Identity numbers.
    Identity,
    /// Numbers of bank cards.
    Card,
    /// One-time codes.
    Code,
    /// Network addresses: IPv4, IPv6, MAC.
    Address,
    /// Tokens too random to be words, and long digests.
    Entropy,
    /// Base64 that hides something the other rules replace.
    Encoded,
    /// Known directories, which are written as aliases.
    Path,
    /// What is too long, too deep or too unstable to be judged.
    Unjudged,
}

impl Rule {
    /// Every rule, in the order of the pipeline.
    pub const ALL: [Self; 16] = [
        Self::KeyBlock,
        Self::Url,
        Self::Secret,
        Self::Device,
        Self::Pair,
        Self::Token,
        Self::Email,
        Self::Phone,
        Self::Identity,
        Self::Card,
        Self::Code,
        Self::Address,
        Self::Entropy,
        Self::Encoded,
        Self::Path,
        Self::Unjudged,
    ];

    /// The stable word for reports and programs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::KeyBlock => "key_block",
            Self::Url => "url",
            Self::Secret => "secret",
            Self::Device => "device",
            Self::Pair => "pair",
            Self::Token => "token",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::Identity => "identity",
            Self::Card => "card",
            Self::Code => "code",
            Self::Address => "address",
            Self::Entropy => "entropy",
            Self::Encoded => "encoded",
            Self::Path => "path",
            Self::Unjudged => "unjudged",
        }
    }
}

/// How often each rule replaced something. It holds numbers only, so it may be printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally([u64; Rule::ALL.len()]);

impl Tally {
    /// How often `rule` replaced something.
    #[must_use]
    pub fn count(&self, rule: Rule) -> u64 {
        self.0[rule as usize]
    }

    /// All replacements together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The rules that replaced something, in the order of the pipeline.
    pub fn iter(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL
            .into_iter()
            .map(|rule| (rule, self.count(rule)))
            .filter(|(_, count)| *count > 0)
    }

    pub(crate) fn add(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_place_and_word() {
        let mut tally = Tally::default();
        for rule in Rule::ALL {
            tally.add(rule);
        }
        assert!(tally.iter().map(|(rule, _)| rule).eq(Rule::ALL));
        assert_eq!(tally.total(), 16);
        let words: std::collections::BTreeSet<&str> = Rule::ALL.map(Rule::word).into();
        assert_eq!(words.len(), 16);
    }
}
