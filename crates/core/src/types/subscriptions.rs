//! Subscriptions: one long request under which the server sends what the client asked to hear. Since 2026-07-28.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{Meta, ResultType, meta_key, result_type::result_body};
use crate::{
    json::Raw,
    jsonrpc::{BadId, Id},
};

/// Which notifications a client wants, or a server agrees to send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_list_changed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts_list_changed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_list_changed: Option<bool>,
    /// The URIs of the resources whose updates are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_subscriptions: Option<Vec<String>>,
    /// The tasks whose changes are wanted; of the tasks extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_ids: Option<Vec<String>>,
}

/// The parameters of `subscriptions/listen`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionsListenParams {
    pub notifications: SubscriptionFilter,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The parameters of `notifications/subscriptions/acknowledged`, the first message under a subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionsAcknowledgedParams {
    /// What the server agreed to, never more than was asked for: see [`SubscriptionFilter::is_within`].
    pub notifications: SubscriptionFilter,
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// The answer to `subscriptions/listen`: the server ends the subscription.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionsListenResult {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// Has the subscription's id under `io.modelcontextprotocol/subscriptionId`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// Which subscription a message belongs to, if any: the id of the `subscriptions/listen` request, in its exact JSON form.
pub fn subscription_id(meta: &Meta) -> Option<Result<Id<'_>, BadId>> {
    meta.get(meta_key::SUBSCRIPTION_ID).map(|raw| Id::from_raw(raw.borrowed()))
}

/// Marks a message as part of the subscription that the request `id` opened.
pub fn set_subscription_id(meta: &mut Meta, id: &Id<'_>) {
    let id = Raw::from_json(id.to_string()).expect("an id shows itself as JSON");
    meta.0.insert(meta_key::SUBSCRIPTION_ID.to_owned(), id);
}

impl SubscriptionFilter {
    /// A filter that lets nothing through.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.resource_subscriptions, &self.task_ids];
        !self.flags().contains(&Some(true))
            && lists.iter().all(|list| list.iter().flatten().next().is_none())
    }

    /// Whether everything that this filter lets through was asked for by `asked`.
    pub fn is_within(&self, asked: &Self) -> bool {
        self.flags()
            .iter()
            .zip(asked.flags())
            .all(|(mine, theirs)| *mine != Some(true) || theirs == Some(true))
            && subset(
                self.resource_subscriptions.as_deref(),
                asked.resource_subscriptions.as_deref(),
            )
            && subset(self.task_ids.as_deref(), asked.task_ids.as_deref())
    }

    fn flags(&self) -> [Option<bool>; 3] {
        [self.tools_list_changed, self.prompts_list_changed, self.resources_list_changed]
    }
}

fn subset(mine: Option<&[String]>, asked: Option<&[String]>) -> bool {
    let asked: HashSet<&String> = asked.into_iter().flatten().collect();
    mine.into_iter().flatten().all(|item| asked.contains(item))
}

result_body!(SubscriptionsListenResult);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subscription_id_keeps_its_json_type() {
        for text in ["7", "7.0", r#""7""#, r#""a \"quoted\" id""#] {
            let raw = Raw::from_json(text).unwrap();
            let id = Id::from_raw(raw.borrowed()).unwrap();
            let mut meta = Meta::default();
            set_subscription_id(&mut meta, &id);
            assert_eq!(meta.get(meta_key::SUBSCRIPTION_ID).unwrap().as_str(), text);
            assert_eq!(subscription_id(&meta), Some(Ok(id.clone())));
        }
    }

    #[test]
    fn a_message_without_the_key_belongs_to_no_subscription() {
        assert_eq!(subscription_id(&Meta::default()), None);
        let mut meta = Meta::default();
        meta.insert(meta_key::SUBSCRIPTION_ID, &()).unwrap();
        assert_eq!(subscription_id(&meta), Some(Err(BadId::Null)));
    }

    #[track_caller]
    fn filter(text: &str) -> SubscriptionFilter {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_server_may_agree_to_less_but_not_to_more() {
        let asked = filter(
            r#"{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["a","b"]}"#,
        );
        for less in [
            "{}",
            r#"{"toolsListChanged":true,"resourceSubscriptions":["b"]}"#,
            r#"{"resourcesListChanged":false,"resourceSubscriptions":[],"taskIds":[]}"#,
        ] {
            assert!(filter(less).is_within(&asked), "{less}");
        }
        for more in [
            r#"{"promptsListChanged":true}"#,
            r#"{"resourcesListChanged":true}"#,
            r#"{"resourceSubscriptions":["a","c"]}"#,
            r#"{"taskIds":["t"]}"#,
        ] {
            assert!(!filter(more).is_within(&asked), "{more}");
        }
    }

    #[test]
    fn a_filter_of_false_and_empty_lists_lets_nothing_through() {
        assert!(
            filter(r#"{"toolsListChanged":false,"resourceSubscriptions":[],"taskIds":[]}"#)
                .is_empty()
        );
        assert!(!filter(r#"{"taskIds":["t"]}"#).is_empty());
        assert!(!filter(r#"{"promptsListChanged":true}"#).is_empty());
    }
}
