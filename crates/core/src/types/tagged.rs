//! Unions told apart by a `type` member.
//!
//! serde's own internal tagging copies the object into a buffer that cannot hold raw JSON. Here the variant reads the object itself, as soon
//! as the tag is known; what comes before the tag, which is unusual, is kept as text until then.

use std::{borrow::Cow, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{
        self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer},
    },
};
use serde_json::value::RawValue;

/// A union whose objects have a `type`.
pub(crate) trait Tagged<'de>: Sized {
    /// What it is called in errors.
    const WHAT: &'static str;

    /// Reads the members beside the tag as the variant that it names; `None` if it names none.
    fn read<D: Deserializer<'de>>(tag: &str, members: D) -> Option<Result<Self, D::Error>>;
}

pub(crate) fn deserialize<'de, T: Tagged<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Union(PhantomData))
}

struct Union<T>(PhantomData<T>);

impl<'de, T: Tagged<'de>> Visitor<'de> for Union<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with a `{TYPE}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let Some(Text(first)) = map.next_key()? else { return Err(de::Error::missing_field(TYPE)) };
        if first == TYPE {
            let Text(tag) = map.next_value()?;
            return read(&tag, MapAccessDeserializer::new(Rest(map)));
        }
        let mut members: Vec<(Cow<'de, str>, &'de RawValue)> = vec![(first, map.next_value()?)];
        while let Some(Text(key)) = map.next_key()? {
            members.push((key, map.next_value()?));
        }
        let mut tags = members.extract_if(.., |(key, _)| key == TYPE);
        let (tag, another) = (tags.next(), tags.next());
        drop(tags);
        match (tag, another) {
            (Some((_, tag)), None) => {
                let Text(tag) = serde_json::from_str(tag.get()).map_err(de::Error::custom)?;
                let members = MapDeserializer::<_, serde_json::Error>::new(members.into_iter());
                read(&tag, members).map_err(de::Error::custom)
            }
            (Some(_), Some(_)) => Err(de::Error::duplicate_field(TYPE)),
            (None, _) => Err(de::Error::missing_field(TYPE)),
        }
    }
}

fn read<'de, T: Tagged<'de>, D: Deserializer<'de>>(tag: &str, members: D) -> Result<T, D::Error> {
    match T::read(tag, members) {
        Some(read) => read.map_err(|error| de::Error::custom(format_args!("in `{tag}`: {error}"))),
        None => Err(de::Error::custom(format_args!("unknown type `{tag}` of {}", T::WHAT))),
    }
}

/// The members after the tag, which is not among them a second time.
struct Rest<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Rest<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(Another(seed))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

/// A key that is not the tag's.
struct Another<S>(S);

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Another<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de, S: DeserializeSeed<'de>> Visitor<'de> for Another<S> {
    type Value = S::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: de::Error>(self, key: &'de str) -> Result<S::Value, E> {
        if key == TYPE {
            return Err(E::duplicate_field(TYPE));
        }
        self.0.deserialize(BorrowedStrDeserializer::new(key))
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<S::Value, E> {
        if key == TYPE {
            return Err(E::duplicate_field(TYPE));
        }
        self.0.deserialize(key.into_deserializer())
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

const TYPE: &str = "type";
