//! Strings that borrow from the message where serde's own impls would copy them.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Deserializer};

/// Named strings, such as the arguments of a prompt; of several equal names the last counts.
pub type StringMap<'a> = BTreeMap<Cow<'a, str>, Cow<'a, str>>;

/// For `Option<Cow<str>>`, with `#[serde(borrow, default, deserialize_with = "cow::option")]`.
pub(crate) fn option<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Cow<'a, str>>, D::Error> {
    Ok(Option::<Text<'a>>::deserialize(deserializer)?.map(|text| text.0))
}

/// For `Option<StringMap>`, likewise.
pub(crate) fn option_map<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<StringMap<'a>>, D::Error> {
    let map = Option::<BTreeMap<Text<'a>, Text<'a>>>::deserialize(deserializer)?;
    Ok(map.map(|map| map.into_iter().map(|(key, value)| (key.0, value.0)).collect()))
}

/// A string that borrows unless an escape forbids it.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);
