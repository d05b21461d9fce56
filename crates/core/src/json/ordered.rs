//! A JSON object whose members stay in the order in which they were written.

use std::{collections::HashSet, fmt, marker::PhantomData};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A JSON object whose members stay in the order in which they were written, for the few places where people see that order.
///
/// No key occurs twice. Looking one up walks the list, so this is for small objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedMap<V>(Vec<(String, V)>);

impl<V> OrderedMap<V> {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, key: &str) -> Option<&V> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Adds a member at the end, or gives an existing one a new value in its old place; returns the value it replaced.
    pub fn insert(&mut self, key: impl Into<String>, value: V) -> Option<V> {
        let key = key.into();
        if let Some((_, old)) = self.0.iter_mut().find(|(name, _)| *name == key) {
            return Some(std::mem::replace(old, value));
        }
        self.0.push((key, value));
        None
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Takes out the members for which `keep` says no.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &V) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }
}

impl<V> Default for OrderedMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> IntoIterator for OrderedMap<V> {
    type Item = (String, V);
    type IntoIter = std::vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<K: Into<String>, V> FromIterator<(K, V)> for OrderedMap<V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut map = Self::new();
        for (key, value) in members {
            map.insert(key, value);
        }
        map
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for OrderedMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members(PhantomData))
    }
}

struct Members<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> de::Visitor<'de> for Members<V> {
    type Value = OrderedMap<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(String, V)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map
                .next_value()
                .map_err(|error| de::Error::custom(format_args!("in {key:?}: {error}")))?;
            members.push((key, value));
        }
        let mut seen = HashSet::with_capacity(members.len());
        if let Some((twice, _)) = members.iter().find(|(key, _)| !seen.insert(key.as_str())) {
            return Err(de::Error::custom(format_args!("{twice:?} occurs twice")));
        }
        Ok(OrderedMap(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_the_order_they_were_written_in() {
        let text = r#"{"zebra":1,"apple":2,"mango":3}"#;
        let map: OrderedMap<u8> = serde_json::from_str(text).unwrap();
        assert_eq!(map.keys().collect::<Vec<_>>(), ["zebra", "apple", "mango"]);
        assert_eq!(serde_json::to_string(&map).unwrap(), text);
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused_by_name() {
        let error = serde_json::from_str::<OrderedMap<u8>>(r#"{"a":1,"b":2,"a":1}"#).unwrap_err();
        assert!(error.to_string().starts_with(r#""a" occurs twice"#), "{error}");
    }

    #[test]
    fn a_bad_value_is_reported_with_its_key() {
        let error = serde_json::from_str::<OrderedMap<u8>>(r#"{"a":1,"b":"x"}"#).unwrap_err();
        assert!(error.to_string().starts_with(r#"in "b": "#), "{error}");
    }

    #[test]
    fn taking_members_out_leaves_the_others_in_order() {
        let mut map: OrderedMap<u8> = [("c", 1), ("b", 2), ("a", 3)].into_iter().collect();
        map.retain(|key, _| key != "b");
        map.values_mut().for_each(|value| *value *= 2);
        assert_eq!(map.iter().collect::<Vec<_>>(), [("c", &2), ("a", &6)]);
    }

    #[test]
    fn inserting_again_replaces_in_place() {
        let mut map: OrderedMap<u8> = [("a", 1), ("b", 2)].into_iter().collect();
        assert_eq!(map.insert("a", 3), Some(1));
        assert_eq!(map.iter().collect::<Vec<_>>(), [("a", &3), ("b", &2)]);
    }
}
