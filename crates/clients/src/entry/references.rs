//! Values that stay out of the file.

use std::collections::BTreeMap;

use super::{Cannot, Entry, Merge, Secrets};
use crate::{
    Client, InlineReference, Server, Template, Value,
    client::{EnvironmentReferences, HeaderReferences},
    is_secret,
    template::Part,
};

/// What is known while the values of an entry are written.
pub(super) struct Written<'a> {
    pub(super) client: &'a Client,
    pub(super) server: &'a Server,
    pub(super) secrets: Secrets,
    pub(super) variables: &'a BTreeMap<String, String>,
}

impl Written<'_> {
    pub(super) fn environment(
        &self,
        given: &[(String, Template)],
        entry: &mut Entry,
    ) -> Result<(), Cannot> {
        let mut values = Vec::new();
        let mut names = Vec::new();
        for (name, value) in given {
            let place = format!("the variable {name}");
            let has_references =
                !matches!(self.client.references.environment, EnvironmentReferences::None);
            let value = self.hidden(name, value, has_references, || name.clone(), entry);
            match self.client.references.environment {
                EnvironmentReferences::None => {
                    values.push((name.clone(), self.text(&place, name, &value)?.into()));
                }
                EnvironmentReferences::Inline(form) => {
                    values.push((name.clone(), self.inline(form, &value, entry).into()));
                }
                EnvironmentReferences::Names(_) => match (&value.0[..], value.literal()) {
                    (_, Some(text)) => values.push((name.clone(), text.into())),
                    ([Part::Variable(variable)], _) if variable == name => {
                        entry.moved.push((self.client.stdio.environment, name.clone()));
                        names.push(name.as_str().into());
                    }
                    _ => return Err(Cannot::OnlyWhole(place)),
                },
            }
        }
        if !values.is_empty() {
            entry.put(self.client.stdio.environment, Value::Map(values), Merge::Join);
        }
        if let (EnvironmentReferences::Names(key), false) =
            (self.client.references.environment, names.is_empty())
        {
            entry.put(key, Value::List(names), Merge::Join);
        }
        Ok(())
    }

    pub(super) fn headers(
        &self,
        key: &'static str,
        given: &[(String, Template)],
        entry: &mut Entry,
    ) -> Result<(), Cannot> {
        let mut values: Vec<(String, Value)> = Vec::new();
        let mut names: Vec<(String, Value)> = Vec::new();
        for (name, value) in given {
            let place = format!("the header {name}");
            let has_references = !matches!(self.client.references.headers, HeaderReferences::None);
            let variable = || self.variable_of(name, value);
            let value = self.hidden(name, value, has_references, variable, entry);
            match self.client.references.headers {
                HeaderReferences::None => {
                    values.push((name.clone(), self.text(&place, name, &value)?.into()));
                }
                HeaderReferences::Inline(form) => {
                    values.push((name.clone(), self.inline(form, &value, entry).into()));
                }
                HeaderReferences::Keys { bearer, whole, refuses_text } => {
                    let is_authorization = name.eq_ignore_ascii_case("authorization");
                    match (&value.0[..], whole) {
                        ([Part::Text(scheme), Part::Variable(variable)], _)
                            if is_authorization && scheme == "Bearer " =>
                        {
                            entry.moved.push((key, name.clone()));
                            entry.put(bearer, variable.as_str().into(), Merge::Replace);
                        }
                        ([Part::Variable(variable)], Some(_)) => {
                            entry.moved.push((key, name.clone()));
                            names.push((name.clone(), variable.as_str().into()));
                        }
                        _ if is_authorization && refuses_text => {
                            return Err(Cannot::AuthorizationText);
                        }
                        _ if value.literal().is_some() => {
                            values.push((name.clone(), self.text(&place, name, &value)?.into()));
                        }
                        _ if self.secrets == Secrets::Write => {
                            values.push((name.clone(), self.text(&place, name, &value)?.into()));
                        }
                        _ => return Err(Cannot::OnlyWhole(place)),
                    }
                }
            }
        }
        if !values.is_empty() {
            entry.put(key, Value::Map(values), Merge::Join);
        }
        if let (HeaderReferences::Keys { whole: Some(key), .. }, false) =
            (self.client.references.headers, names.is_empty())
        {
            entry.put(key, Value::Map(names), Merge::Join);
        }
        Ok(())
    }

    /// The value, or a variable in its place if it is a secret and the client can look variables up.
    fn hidden(
        &self,
        name: &str,
        value: &Template,
        has_references: bool,
        variable: impl Fn() -> String,
        entry: &mut Entry,
    ) -> Template {
        let secret = value.literal().filter(|text| is_secret(name, text));
        let Some(secret) = secret.filter(|_| has_references) else { return value.clone() };
        let variable = variable();
        if self.asks() {
            entry.notes.push(format!(
                "the value of {name} is not written: {} asks for it",
                self.client.name
            ));
        } else {
            entry.notes.push(format!(
                "the value of {name} is not written: {} takes it from the variable {variable} of its environment",
                self.client.name
            ));
        }
        let mut parts = vec![Part::Variable(variable)];
        if secret.starts_with("Bearer ") {
            parts.insert(0, Part::Text("Bearer ".to_owned()));
        }
        Template(parts)
    }

    /// Whether a person is asked instead of the environment.
    fn asks(&self) -> bool {
        matches!(
            self.client.references.environment,
            EnvironmentReferences::Inline(InlineReference::Input)
        )
    }

    fn inline(&self, form: InlineReference, value: &Template, entry: &mut Entry) -> String {
        if form != InlineReference::Input {
            return value.render(|name| form.write(name));
        }
        for name in value.variables() {
            let id = input_id(name);
            if !entry.inputs.iter().any(|(known, _)| *known == id) {
                entry.inputs.push((id, format!("{name} of {}", self.server.name)));
            }
        }
        value.render(|name| form.write(&input_id(name)))
    }

    /// The value as text, if that may be.
    fn text(&self, place: &str, name: &str, value: &Template) -> Result<String, Cannot> {
        if let Some(text) = value.literal() {
            let refused = self.secrets == Secrets::Refuse && is_secret(name, text);
            return if refused {
                Err(Cannot::Secret(place.to_owned()))
            } else {
                Ok(text.to_owned())
            };
        }
        if self.secrets == Secrets::Refuse {
            return Err(Cannot::NoReferences(place.to_owned()));
        }
        value
            .expand(self.variables)
            .map_err(|variable| Cannot::NoValue { place: place.to_owned(), variable })
    }

    /// A name for the variable that a header comes from.
    fn variable_of(&self, header: &str, value: &Template) -> String {
        let is_bearer = value.literal().is_some_and(|text| text.starts_with("Bearer "));
        let what = if is_bearer { "token" } else { header };
        let name = format!("{}_{what}", self.server.name).to_uppercase();
        let mut name: String =
            name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
        if name.starts_with(|it: char| it.is_ascii_digit()) {
            name.insert(0, '_');
        }
        name
    }
}

pub(super) fn environment_key(client: &Client) -> Option<&'static str> {
    match client.references.environment {
        EnvironmentReferences::Names(key) => Some(key),
        EnvironmentReferences::None | EnvironmentReferences::Inline(_) => None,
    }
}

pub(super) fn header_keys(client: &Client) -> Vec<&'static str> {
    match client.references.headers {
        HeaderReferences::Keys { bearer, whole, .. } => {
            [Some(bearer), whole].into_iter().flatten().collect()
        }
        HeaderReferences::None | HeaderReferences::Inline(_) => Vec::new(),
    }
}

fn input_id(variable: &str) -> String {
    variable.to_lowercase().replace('_', "-")
}
