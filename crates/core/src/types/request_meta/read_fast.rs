//! Fast path of serde for [`RequestMeta`]: every modern request has a `_meta`, whose members were found when the message was read.
//!
//! Equivalence: `params_are_read_from_their_members_as_serde_reads_them` in `types/tools/tests.rs`.

use std::borrow::Cow;

use super::RequestMeta;
use crate::{
    json::{RawRef, read_string},
    jsonrpc::{Id, Member},
    types::meta_key,
};

impl<'a> RequestMeta<'a> {
    /// Decodes `_meta` from its members; `None` if there is anything unusual about it, for serde to decide on.
    pub(in crate::types) fn read_fast(members: &[Member<'a>]) -> Option<Self> {
        let mut meta = Self::default();
        members.iter().try_for_each(|(key, value)| meta.put(key, *value))?;
        Some(meta)
    }

    /// `None` for a key that was there before, and for a value that the key does not have as a rule.
    #[expect(clippy::ptr_arg, reason = "it is kept as it is, borrowed or owned")]
    fn put(&mut self, key: &Cow<'a, str>, value: RawRef<'a>) -> Option<()> {
        let text = |slot: &mut Option<Cow<'a, str>>| match slot.replace(read_string(value.get())?) {
            Some(_) => None,
            None => Some(()),
        };
        let slot = match key.as_ref() {
            meta_key::PROTOCOL_VERSION => return text(&mut self.protocol_version),
            meta_key::TRACEPARENT => return text(&mut self.traceparent),
            meta_key::TRACESTATE => return text(&mut self.tracestate),
            meta_key::BAGGAGE => return text(&mut self.baggage),
            meta_key::PROGRESS_TOKEN if self.progress_token.is_none() => {
                self.progress_token = Some(Id::from_raw(value).ok()?);
                return Some(());
            }
            meta_key::LOG_LEVEL if self.log_level.is_none() => {
                self.log_level = Some(serde_json::from_str(value.get()).ok()?);
                return Some(());
            }
            meta_key::PROGRESS_TOKEN | meta_key::LOG_LEVEL | meta_key::SUBSCRIPTION_ID => {
                return None;
            }
            meta_key::CLIENT_INFO => &mut self.client_info,
            meta_key::CLIENT_CAPABILITIES => &mut self.client_capabilities,
            meta_key::RELATED_TASK => &mut self.related_task,
            _ => {
                self.others.push((key.clone(), value));
                return Some(());
            }
        };
        if value.get() == "null" || slot.replace(value).is_some() { None } else { Some(()) }
    }
}
