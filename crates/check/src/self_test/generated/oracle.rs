//! What says whether a changed message is illegal: the table of shapes, which is no judge.

use proofmark_core::revision::Revision;
use proofmark_judge::shapes::{Departure, MessageKind, departures, known};
use proofmark_record::side::Side;
use serde_json::Value;

use super::{specimen::Kind, variation::Verdict};

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
    ) -> Option<Verdict> {
        if !self.departures(kind, unspoiled).is_empty() {
            return None;
        }
        let departures = self.departures(kind, spoiled);
        let Departure { path, expected, found, requirement } = departures.first()?;
        let law = format!("{expected} at {path}, not {found}");
        Some(Verdict::Illegal { law, requirement: Some(*requirement) })
    }

    /// Whether the table knows the message, and finds nothing wrong with it.
    pub(super) fn accepts(&self, kind: &Kind, message: &Value) -> bool {
        known(self.revision, self.sender, kind.into()) && self.departures(kind, message).is_empty()
    }

    fn departures(&self, kind: &Kind, message: &Value) -> Vec<Departure> {
        departures(self.revision, self.sender, kind.into(), message)
    }
}

impl<'k> From<&'k Kind> for MessageKind<'k> {
    fn from(kind: &'k Kind) -> Self {
        match kind {
            Kind::Request(method) => Self::Request(method),
            Kind::Notification(method) => Self::Notification(method),
            Kind::Result(method) => Self::Result(method),
            Kind::Error => Self::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use proofmark_core::revision::Era;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_of_the_wrong_type_departs_and_an_unknown_one_does_not() {
        let oracle = Oracle { revision: Revision::newest(Era::Legacy), sender: Side::Server };
        let kind = Kind::Result("tools/list".to_owned());
        let list =
            |tools: Value| json!({ "jsonrpc": "2.0", "id": 1, "result": { "tools": tools } });
        let right = list(json!([{ "name": "a", "inputSchema": { "type": "object" } }]));
        assert!(oracle.accepts(&kind, &right));
        assert!(oracle.departure(&kind, &right, &list(json!({}))).is_some());
        let unknown =
            list(json!([{ "name": "a", "inputSchema": { "type": "object" }, "unknown": 1 }]));
        assert!(oracle.accepts(&kind, &unknown));
        assert_eq!(oracle.departure(&kind, &right, &unknown), None);
    }

    #[test]
    fn nothing_is_said_about_messages_that_depart_before_they_are_spoiled() {
        let oracle = Oracle { revision: Revision::newest(Era::Legacy), sender: Side::Server };
        let kind = Kind::Result("tools/list".to_owned());
        let wrong = json!({ "jsonrpc": "2.0", "id": 1, "result": {} });
        assert_eq!(oracle.departure(&kind, &wrong, &json!({ "id": 1 })), None);
    }
}
