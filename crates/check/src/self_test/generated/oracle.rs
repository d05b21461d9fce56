//! What says whether a changed message is illegal: the table of shapes, which is no judge.

use proofmark_core::revision::Revision;
use proofmark_record::side::Side;
use serde_json::Value;

use super::specimen::Kind;

/// The shapes of one revision, as one side sends them.
pub(super) struct Oracle {
    pub(super) revision: Revision,
    pub(super) sender: Side,
}

impl Oracle {
    /// How the spoiled message departs from the shape that the unspoiled one has. `None` if it does not, or the table does not know it.
    pub(super) fn departure(
        &self,
        kind: &Kind,
        unspoiled: &Value,
        spoiled: &Value,
    ) -> Option<String> {
        let _ = (self.revision, self.sender, kind, unspoiled, spoiled);
        // TODO(generated): the table of shapes.
        let params = |it: &Value| {
            it.get("params")
                .or_else(|| it.get("result"))
                .or_else(|| it.get("error"))
                .map(Value::is_object)
        };
        (params(spoiled) != Some(true)).then(|| "no object".to_owned())
    }
}
