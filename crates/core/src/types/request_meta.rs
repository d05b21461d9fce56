//! The `_meta` of a request, read without copying it.

mod read_fast;

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, MapAccess, Visitor},
    ser::SerializeMap,
};

use super::{ClientCapabilities, Implementation, LoggingLevel, Meta, cow::Text, meta_key};
use crate::{
    json::RawRef,
    jsonrpc::{Id, ProgressToken},
};

/// What rides along on a request: in the modern era also who asks, in which revision and with which capabilities.
///
/// A known key given twice is an error, because two readers could disagree on which of them counts.
#[derive(Clone, Debug, Default)]
pub struct RequestMeta<'a> {
    pub progress_token: Option<ProgressToken<'a>>,
    pub protocol_version: Option<Cow<'a, str>>,
    /// Not yet decoded; see [`Self::decode_client_info`].
    pub client_info: Option<RawRef<'a>>,
    /// Not yet decoded; see [`Self::decode_client_capabilities`].
    pub client_capabilities: Option<RawRef<'a>>,
    pub log_level: Option<LoggingLevel>,
    pub subscription_id: Option<Id<'a>>,
    /// Not yet decoded.
    pub related_task: Option<RawRef<'a>>,
    pub traceparent: Option<Cow<'a, str>>,
    pub tracestate: Option<Cow<'a, str>>,
    pub baggage: Option<Cow<'a, str>>,
    /// Everything else in the order it came. Trace keys that are not strings are here too: only the modern era gives them a meaning.
    pub others: Vec<(Cow<'a, str>, RawRef<'a>)>,
}

impl<'a> RequestMeta<'a> {
    pub fn decode_client_info(&self) -> serde_json::Result<Option<Implementation>> {
        self.client_info.map(|raw| serde_json::from_str(raw.get())).transpose()
    }

    /// Only an object will do. (A derived reader would also take an array for the values of the fields, in their order.)
    pub fn decode_client_capabilities(&self) -> serde_json::Result<Option<ClientCapabilities>> {
        let Some(raw) = self.client_capabilities else { return Ok(None) };
        if raw.get() == "{}" {
            return Ok(Some(ClientCapabilities::default()));
        }
        if !raw.get().starts_with('{') {
            return Err(de::Error::custom("not an object"));
        }
        serde_json::from_str(raw.get()).map(Some)
    }

    /// The value of a key that has no field of its own; of several, the last.
    pub fn other(&self, key: &str) -> Option<RawRef<'a>> {
        self.others.iter().rev().find(|(name, _)| name == key).map(|(_, raw)| *raw)
    }

    /// Adds keys that have no field of their own.
    ///
    /// Keys that have one are left out: a message must not say them twice, and the field is the place to say them.
    pub fn with_others(mut self, meta: &'a Meta) -> Self {
        let others = meta.0.iter().filter(|(key, _)| !HAVE_FIELDS.contains(&key.as_str()));
        self.others.extend(others.map(|(key, raw)| (key.as_str().into(), raw.borrowed())));
        self
    }
}

impl Serialize for RequestMeta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entry(&mut map, meta_key::PROGRESS_TOKEN, self.progress_token.as_ref())?;
        entry(&mut map, meta_key::PROTOCOL_VERSION, self.protocol_version.as_ref())?;
        entry(&mut map, meta_key::CLIENT_INFO, self.client_info.as_ref())?;
        entry(&mut map, meta_key::CLIENT_CAPABILITIES, self.client_capabilities.as_ref())?;
        entry(&mut map, meta_key::LOG_LEVEL, self.log_level.as_ref())?;
        entry(&mut map, meta_key::SUBSCRIPTION_ID, self.subscription_id.as_ref())?;
        entry(&mut map, meta_key::RELATED_TASK, self.related_task.as_ref())?;
        entry(&mut map, meta_key::TRACEPARENT, self.traceparent.as_ref())?;
        entry(&mut map, meta_key::TRACESTATE, self.tracestate.as_ref())?;
        entry(&mut map, meta_key::BAGGAGE, self.baggage.as_ref())?;
        for (key, raw) in &self.others {
            map.serialize_entry(key, raw)?;
        }
        map.end()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RequestMeta<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetaVisitor).map(Slots::close)
    }
}

struct MetaVisitor;

impl<'de> Visitor<'de> for MetaVisitor {
    type Value = Slots<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slots<'de>, A::Error> {
        let mut slots = Slots::default();
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                meta_key::PROGRESS_TOKEN => {
                    fill(&mut slots.progress_token, meta_key::PROGRESS_TOKEN, &mut map)?;
                }
                meta_key::PROTOCOL_VERSION => {
                    fill(&mut slots.protocol_version, meta_key::PROTOCOL_VERSION, &mut map)?;
                }
                meta_key::CLIENT_INFO => {
                    fill(&mut slots.client_info, meta_key::CLIENT_INFO, &mut map)?;
                }
                meta_key::CLIENT_CAPABILITIES => {
                    fill(&mut slots.client_capabilities, meta_key::CLIENT_CAPABILITIES, &mut map)?;
                }
                meta_key::LOG_LEVEL => fill(&mut slots.log_level, meta_key::LOG_LEVEL, &mut map)?,
                meta_key::SUBSCRIPTION_ID => {
                    fill(&mut slots.subscription_id, meta_key::SUBSCRIPTION_ID, &mut map)?;
                }
                meta_key::RELATED_TASK => {
                    fill(&mut slots.related_task, meta_key::RELATED_TASK, &mut map)?;
                }
                meta_key::TRACEPARENT => {
                    fill(&mut slots.traceparent, meta_key::TRACEPARENT, &mut map)?;
                }
                meta_key::TRACESTATE => {
                    fill(&mut slots.tracestate, meta_key::TRACESTATE, &mut map)?;
                }
                meta_key::BAGGAGE => fill(&mut slots.baggage, meta_key::BAGGAGE, &mut map)?,
                _ => slots.others.push((key, map.next_value()?)),
            }
        }
        Ok(slots)
    }
}

/// The fields while they are read: the outer layer says whether the key was seen, the inner one whether it was null.
#[derive(Default)]
struct Slots<'a> {
    progress_token: Slot<ProgressToken<'a>>,
    protocol_version: Slot<Text<'a>>,
    client_info: Slot<RawRef<'a>>,
    client_capabilities: Slot<RawRef<'a>>,
    log_level: Slot<LoggingLevel>,
    subscription_id: Slot<Id<'a>>,
    related_task: Slot<RawRef<'a>>,
    traceparent: Slot<RawRef<'a>>,
    tracestate: Slot<RawRef<'a>>,
    baggage: Slot<RawRef<'a>>,
    others: Vec<(Cow<'a, str>, RawRef<'a>)>,
}

type Slot<T> = Option<Option<T>>;

impl<'a> Slots<'a> {
    fn close(mut self) -> RequestMeta<'a> {
        RequestMeta {
            traceparent: string_or_other(self.traceparent, meta_key::TRACEPARENT, &mut self.others),
            tracestate: string_or_other(self.tracestate, meta_key::TRACESTATE, &mut self.others),
            baggage: string_or_other(self.baggage, meta_key::BAGGAGE, &mut self.others),
            progress_token: self.progress_token.flatten(),
            protocol_version: self.protocol_version.flatten().map(|text| text.0),
            client_info: self.client_info.flatten(),
            client_capabilities: self.client_capabilities.flatten(),
            log_level: self.log_level.flatten(),
            subscription_id: self.subscription_id.flatten(),
            related_task: self.related_task.flatten(),
            others: self.others,
        }
    }
}

fn fill<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    slot: &mut Slot<T>,
    key: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    if slot.is_some() {
        return Err(de::Error::duplicate_field(key));
    }
    *slot = Some(map.next_value()?);
    Ok(())
}

fn string_or_other<'a>(
    slot: Slot<RawRef<'a>>,
    key: &'static str,
    others: &mut Vec<(Cow<'a, str>, RawRef<'a>)>,
) -> Option<Cow<'a, str>> {
    let raw = slot.flatten()?;
    let Ok(Text(text)) = serde_json::from_str(raw.get()) else {
        others.push((Cow::Borrowed(key), raw));
        return None;
    };
    Some(text)
}

fn entry<M: SerializeMap, T: Serialize + ?Sized>(
    map: &mut M,
    key: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, value))
}

const HAVE_FIELDS: [&str; 10] = [
    meta_key::PROGRESS_TOKEN,
    meta_key::PROTOCOL_VERSION,
    meta_key::CLIENT_INFO,
    meta_key::CLIENT_CAPABILITIES,
    meta_key::LOG_LEVEL,
    meta_key::SUBSCRIPTION_ID,
    meta_key::RELATED_TASK,
    meta_key::TRACEPARENT,
    meta_key::TRACESTATE,
    meta_key::BAGGAGE,
];

#[cfg(test)]
mod tests;
