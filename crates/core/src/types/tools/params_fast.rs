//! Fast path of serde for [`CallToolParams`]: no call of a tool is read or written through a visitor.
//!
//! The members were found when the message was read, and what is written is put together from text. Equivalence:
//! `params_are_read_from_their_members_as_serde_reads_them` and `params_are_written_as_serde_writes_them`.

use serde::Serialize;

use super::{CallToolParams, RequestMeta, member};
use crate::{
    json::{Raw, read_string, write_string},
    jsonrpc::Params,
    types::TaskMetadata,
};

impl<'a> CallToolParams<'a> {
    /// The params that call a tool, as JSON. Arguments that are null are left out.
    pub fn written<A: Serialize + ?Sized>(
        name: &str,
        arguments: &A,
        task: Option<&TaskMetadata>,
    ) -> serde_json::Result<Raw> {
        let mut text = Vec::with_capacity(name.len() + ROOM);
        text.extend_from_slice(b"{\"name\":");
        write_string(&mut text, name);
        let before = text.len();
        text.extend_from_slice(b",\"arguments\":");
        let start = text.len();
        serde_json::to_writer(&mut text, arguments)?;
        if text[start..] == *b"null" {
            text.truncate(before);
        }
        member(&mut text, ",\"task\":", task)?;
        text.push(b'}');
        let text = String::from_utf8(text).expect("it was put together from strings");
        Ok(if task.is_none() { Raw::plain_params(text) } else { Raw::trusted(text) })
    }

    /// Decodes params whose members were found already; `None` if there is anything unusual about them, for serde to decide on.
    pub(in crate::types) fn read_fast(params: &Params<'a>) -> Option<Self> {
        let mut name = None;
        let mut read = Self::default();
        for (key, value) in params.members()? {
            let slot = match key.as_ref() {
                "name" => &mut name,
                "arguments" => &mut read.arguments,
                "task" => &mut read.task,
                "inputResponses" => &mut read.input_responses,
                "_meta" if read.meta.is_none() => {
                    read.meta = Some(Box::new(RequestMeta::read_fast(params.meta()?)?));
                    continue;
                }
                "_meta" | "requestState" => return None,
                _ => continue,
            };
            if value.get() == "null" || slot.replace(*value).is_some() {
                return None;
            }
        }
        read.name = read_string(name?.get())?;
        Some(read)
    }
}

/// For the names of members, and for arguments that are not long.
const ROOM: usize = 224;
