//! Objects with a closed set of fields, and the checks that many fields share.

use std::ops::Range;

use super::error::{Code, LoadError};
use super::tree::{Node, Value};
use super::word;

/// A value, and where it is in the file.
#[derive(Debug, Clone)]
pub(super) struct At<'t> {
    pub(super) node: &'t Node,
    pub(super) position: String,
}

impl<'t> At<'t> {
    pub(super) fn root(node: &'t Node) -> Self {
        Self {
            node,
            position: String::new(),
        }
    }

    pub(super) fn error(&self, code: Code, reason: impl Into<String>) -> LoadError {
        LoadError::new(code, &self.position, reason, self.node.span.clone())
    }

    pub(super) fn bad(&self, reason: impl Into<String>) -> LoadError {
        self.error(Code::BadValue, reason)
    }

    fn wrong(&self, wanted: &str) -> LoadError {
        self.error(Code::WrongType, format!("it must be {wanted}"))
    }

    /// Its fields, none of which may be another than those that are known.
    pub(super) fn object(&self, known: &[&str]) -> Result<Fields<'t>, LoadError> {
        debug_assert!(known.iter().all(|name| word::is_field(name)));
        let Value::Object(fields) = &self.node.value else {
            return Err(self.wrong("an object"));
        };
        if let Some((key, _)) = fields
            .iter()
            .find(|(key, _)| !known.contains(&key.name.as_str()))
        {
            return Err(LoadError::new(
                Code::UnknownField,
                &self.position,
                "it has a field that is not known here",
                key.span.clone(),
            ));
        }
        Ok(Fields {
            fields: fields
                .iter()
                .map(|(key, node)| (key.name.as_str(), node))
                .collect(),
            position: self.position.clone(),
            span: self.node.span.clone(),
        })
    }

    /// A field of an object whose other fields are not looked at yet.
    pub(super) fn peek(&self, name: &str) -> Option<At<'t>> {
        let Value::Object(fields) = &self.node.value else {
            return None;
        };
        let (_, node) = fields.iter().find(|(key, _)| key.name == name)?;
        Some(At {
            node,
            position: join(&self.position, name),
        })
    }

    pub(super) fn list(&self) -> Result<Vec<At<'t>>, LoadError> {
        let Value::List(items) = &self.node.value else {
            return Err(self.wrong("a list"));
        };
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, node)| At {
                node,
                position: format!("{}[{index}]", self.position),
            })
            .collect())
    }

    /// A list with at least one item.
    pub(super) fn some(&self) -> Result<Vec<At<'t>>, LoadError> {
        let items = self.list()?;
        if items.is_empty() {
            return Err(self.bad("it must not be empty"));
        }
        Ok(items)
    }

    pub(super) fn any_text(&self) -> Result<&'t str, LoadError> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong("a text")),
        }
    }

    /// A text that says something: white space alone is empty.
    pub(super) fn text(&self) -> Result<String, LoadError> {
        let text = self.any_text()?;
        if text.trim().is_empty() {
            return Err(self.bad("it must not be empty"));
        }
        Ok(text.to_owned())
    }

    pub(super) fn number(&self) -> Result<f64, LoadError> {
        match self.node.value {
            Value::Number(number) => Ok(number),
            _ => Err(self.wrong("a number")),
        }
    }

    /// A whole number that is not negative.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole, not negative and within 2^53"
    )]
    pub(super) fn whole(&self) -> Result<u64, LoadError> {
        let number = self.number()?;
        if number < 0.0 || number.fract() != 0.0 {
            return Err(self.bad("it must be a whole number that is not negative"));
        }
        Ok(number as u64)
    }

    /// One of a closed set of words.
    pub(super) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, LoadError> {
        let text = self.any_text()?;
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.bad(format!("it must be one of {}", known.join(", ")))
        })
    }
}

/// The fields of one object.
#[derive(Debug)]
pub(super) struct Fields<'t> {
    fields: Vec<(&'t str, &'t Node)>,
    position: String,
    span: Range<usize>,
}

impl<'t> Fields<'t> {
    pub(super) fn get(&self, name: &str) -> Option<At<'t>> {
        let (_, node) = self.fields.iter().find(|(known, _)| *known == name)?;
        Some(At {
            node,
            position: join(&self.position, name),
        })
    }

    pub(super) fn need(&self, name: &str) -> Result<At<'t>, LoadError> {
        self.get(name).ok_or_else(|| {
            LoadError::new(
                Code::MissingField,
                &join(&self.position, name),
                "it is missing",
                self.span.clone(),
            )
        })
    }

    pub(super) fn text(&self, name: &str) -> Result<String, LoadError> {
        self.need(name)?.text()
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<String>, LoadError> {
        self.get(name).map(|at| at.text()).transpose()
    }

    /// Refuses a field that the platform does not have.
    pub(super) fn foreign(&self, name: &str, is_foreign: bool) -> Result<(), LoadError> {
        match self.get(name).filter(|_| is_foreign) {
            Some(at) => Err(at.error(
                Code::ForeignField,
                "the driver of this scenario has no such thing",
            )),
            None => Ok(()),
        }
    }
}

fn join(position: &str, name: &str) -> String {
    if position.is_empty() {
        name.to_owned()
    } else {
        format!("{position}.{name}")
    }
}
