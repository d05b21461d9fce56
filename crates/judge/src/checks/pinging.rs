//! How often a peer pings.

use std::time::Duration;

use serde_json::json;

use super::{Check, shape::doubtful, tools::none_applies, utilities::extra};
use crate::outcome::{Finding, each};
use proofmark_record::event::{Event, What};

pub(crate) const S104: Check = Check {
    how: "counts the pings of every second",
    fix: "ping a connection that has been silent for a while, and not all the time",
    judge: |evidence| {
        let pings: Vec<_> = evidence
            .events()
            .filter(|(_, event)| is_ping(event))
            .map(|(place, event)| (place, event.at))
            .collect();
        let outcome = each(pings.iter().enumerate(), "", |(index, (place, at))| {
            let (first, began) = index.checked_sub(MOST).and_then(|it| pings.get(it))?;
            let storm =
                first.conversation == place.conversation && at.saturating_sub(*began) < A_SECOND;
            let expected = format!("no more than {MOST} pings in a second");
            storm.then(|| Finding::new(expected, "more", *place))
        });
        // How much is too much is not written anywhere.
        doubtful(none_applies(outcome, "it does not ping"))
    },
    mutants: &[extra("pings all the time", |_, message| {
        let mut texts = vec![message.to_string()];
        if message["id"] == "last-ping" {
            texts.extend(storm());
        }
        texts
    })],
};

/// More pings at once than anybody needs.
pub(super) fn storm() -> impl Iterator<Item = String> {
    (0..2 * MOST).map(|number| {
        json!({ "jsonrpc": "2.0", "id": format!("storm-{number}"), "method": "ping" }).to_string()
    })
}

fn is_ping(event: &Event) -> bool {
    let What::Received { frame, .. } = &event.what else { return false };
    frame.messages().iter().any(|message| message["method"] == "ping")
}

const MOST: usize = 10;
const A_SECOND: Duration = Duration::from_secs(1);
