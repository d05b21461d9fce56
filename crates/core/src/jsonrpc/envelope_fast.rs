//! Fast path of serde for [`Envelope`]: nearly everything that arrives is one message, and is read in one pass.
//!
//! serde would check the text of `params` and `result` here, and read them again where they are decoded. Equivalence:
//! `every_object_is_read_as_serde_reads_it`.

use super::{
    Params,
    envelope::{Envelope, Value},
};
use crate::json::{Reader, Unreadable};

impl<'a> Envelope<'a> {
    /// Reads the object that a text is, and the members of its params, in one pass.
    pub(super) fn read_fast(text: &'a str, depth: usize) -> Result<Self, Unreadable> {
        let mut reader = Reader::new(text, depth);
        let mut envelope = Self::default();
        reader.members(|key, reader| {
            let (name, slot) = match key.as_ref() {
                "params" => return envelope.read_params(reader),
                "result" => return envelope.read_result(reader),
                "jsonrpc" => ("jsonrpc", &mut envelope.jsonrpc),
                "id" => ("id", &mut envelope.id),
                "method" => ("method", &mut envelope.method),
                "error" => ("error", &mut envelope.error),
                _ => return reader.value().map(drop),
            };
            if slot.replace(reader.value()?).is_some() {
                envelope.duplicate = Some(name);
            }
            Ok(())
        })?;
        reader.end()?;
        Ok(envelope)
    }

    // Never inlined: it is the largest arm of the match above, and responses have no params.
    #[inline(never)]
    fn read_params(&mut self, reader: &mut Reader<'a>) -> Result<(), Unreadable> {
        let value = if reader.peek() == Some(b'{') {
            Value::Object(Params::read_fast(reader)?)
        } else {
            reader.value()?;
            Value::Other
        };
        if self.params.replace(value).is_some() {
            self.duplicate = Some("params");
        }
        Ok(())
    }

    fn read_result(&mut self, reader: &mut Reader<'a>) -> Result<(), Unreadable> {
        let result = if reader.peek() == Some(b'{') {
            let mut types = [None; 2];
            let result = reader.spanned(|reader| {
                reader.members(|key, reader| {
                    let value = reader.value()?;
                    if key == "resultType" {
                        types = [Some(value), types[0]];
                    }
                    Ok(())
                })
            })?;
            // Of two, neither is believed.
            self.result_type = types[1].is_none().then_some(types[0]);
            result
        } else {
            reader.value()?
        };
        if self.result.replace(result).is_some() {
            self.duplicate = Some("result");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::RawRef;

    /// Whether it was read without serde.
    #[track_caller]
    fn compare(text: &str) -> bool {
        let Ok(fast) = Envelope::read_fast(text, usize::MAX) else { return false };
        let slow: Envelope<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(members(&fast), members(&slow), "{text}");
        true
    }

    /// All that both ways find. What `result_type` says, serde leaves to the reader of the result.
    fn members<'a>(envelope: &Envelope<'a>) -> impl PartialEq + std::fmt::Debug + use<'a> {
        let params = envelope.params.as_ref().map(|params| match params {
            Value::Object(params) => Some(params.get()),
            Value::Other => None,
        });
        let raw = [envelope.jsonrpc, envelope.id, envelope.method, envelope.result, envelope.error];
        (raw.map(|raw| raw.map(RawRef::get)), params, envelope.duplicate)
    }

    #[test]
    fn messages_are_read_at_once() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#" { "id" : "a" , "result" : { "resultType" : "complete" } , "x" : [ ] } "#,
            r#"{"m\u0065thod":"a","params":{"_meta":{"a":1}},"params":[]}"#,
            r#"{"error":null,"result":1,"id":null,"id":2}"#,
        ] {
            assert!(compare(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_object_is_read_as_serde_reads_it(
            members in prop::collection::vec((KEY, VALUE), 0..6),
        ) {
            let members: Vec<_> =
                members.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            compare(&format!("{{{}}}", members.join(",")));
        }
    }

    const KEY: &str = "jsonrpc|id|method|params|result|error|resultType|_meta|a";
    const VALUE: &str =
        r#"null|1|"2.0"|"a\\n"|\[\]|\{\}|\{"_meta": \{"a":1\}\}|\{"resultType":"x"\}"#;
}
