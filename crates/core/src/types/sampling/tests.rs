use proptest::prelude::*;

use super::*;

#[track_caller]
fn conversation(text: &str) -> Vec<SamplingMessage> {
    serde_json::from_str(text).unwrap()
}

fn say(role: &str, blocks: &[&str]) -> String {
    let blocks: Vec<String> = blocks
        .iter()
        .map(|block| match block.split_once(':') {
            Some(("use", id)) => {
                format!(r#"{{"type":"tool_use","id":"{id}","name":"weather","input":{{}}}}"#)
            }
            Some(("result", id)) => {
                format!(r#"{{"type":"tool_result","toolUseId":"{id}","content":[]}}"#)
            }
            _ => format!(r#"{{"type":"text","text":"{block}"}}"#),
        })
        .collect();
    format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","))
}

/// Judges messages written as (role, blocks).
fn judge(messages: &[(&str, &[&str])]) -> Result<(), BalanceBreach> {
    let messages: Vec<String> = messages.iter().map(|(role, blocks)| say(role, blocks)).collect();
    check_balance(&conversation(&format!("[{}]", messages.join(","))))
}

#[test]
fn content_is_written_in_the_form_it_was_read_in() {
    let block = r#"{"type":"text","text":"hi"}"#;
    for content in [block.to_owned(), format!("[{block}]"), "[]".to_owned()] {
        let text = format!(r#"{{"role":"user","content":{content}}}"#);
        let message: SamplingMessage = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
    }
}

#[test]
fn a_block_that_is_not_for_sampling_is_refused_by_name() {
    let text = r#"{"type":"resource_link","uri":"file:///a","name":"a"}"#;
    let error = serde_json::from_str::<SamplingBlock>(text).unwrap_err().to_string();
    assert!(error.contains("resource_link"), "{error}");
}

#[test]
fn a_provider_may_have_its_own_reason_to_stop() {
    for name in ["endTurn", "maxTokens", "stopSequence", "toolUse", "content_filter"] {
        let reason: StopReason = serde_json::from_str(&format!("\"{name}\"")).unwrap();
        assert_eq!(matches!(reason, StopReason::Other(_)), name == "content_filter");
        assert_eq!(reason.as_str(), name);
    }
}

#[test]
fn without_the_most_tokens_allowed_there_is_no_request() {
    let error = serde_json::from_str::<CreateMessageParams>(r#"{"messages":[]}"#).unwrap_err();
    assert!(error.to_string().starts_with("missing field `maxTokens`"), "{error}");
}

#[test]
fn uses_answered_in_any_order_in_the_next_message_are_balanced() {
    let balanced = judge(&[
        ("user", &["weather in Paris and London?"]),
        ("assistant", &["let me see", "use:paris", "use:london"]),
        ("user", &["result:london", "result:paris"]),
        ("assistant", &["use:rome"]),
        ("user", &["result:rome"]),
        ("assistant", &["sunny"]),
    ]);
    assert_eq!(balanced, Ok(()));
}

#[test]
fn a_single_result_that_is_not_in_a_list_counts() {
    let messages = conversation(
        r#"[{"role":"assistant","content":{"type":"tool_use","id":"a","name":"n","input":{}}},
            {"role":"user","content":{"type":"tool_result","toolUseId":"a","content":[]}}]"#,
    );
    assert_eq!(check_balance(&messages), Ok(()));
}

#[test]
fn results_beside_other_content_are_a_breach() {
    let mixed = judge(&[("assistant", &["use:a"]), ("user", &["here it is", "result:a"])]);
    assert_eq!(mixed, Err(BalanceBreach::Mixed { message: 1 }));
}

#[test]
fn a_use_without_a_result_in_the_next_message_is_a_breach() {
    let unanswered =
        |id: &str| Err(BalanceBreach::Unanswered { message: 0, tool_use_id: id.into() });
    assert_eq!(judge(&[("assistant", &["use:a"])]), unanswered("a"));
    assert_eq!(judge(&[("assistant", &["use:a"]), ("user", &["never mind"])]), unanswered("a"));
    assert_eq!(
        judge(&[("assistant", &["use:a", "use:b"]), ("user", &["result:a"])]),
        unanswered("b")
    );
    assert_eq!(judge(&[("assistant", &["use:a"]), ("assistant", &["result:a"])]), unanswered("a"));
    assert_eq!(
        judge(&[("assistant", &["use:a"]), ("user", &["wait"]), ("user", &["result:a"])]),
        unanswered("a")
    );
}

#[test]
fn an_unasked_result_is_a_breach() {
    let stray = |message| Err(BalanceBreach::Stray { message, tool_use_id: "b".into() });
    assert_eq!(judge(&[("user", &["result:b"])]), stray(0));
    assert_eq!(judge(&[("assistant", &["use:a"]), ("user", &["result:a", "result:b"])]), stray(1));
}

proptest! {
    /// Dropping any one result from a balanced conversation leaves exactly the use that it answered.
    #[test]
    fn every_missing_result_is_found(rounds in proptest::collection::vec(1..4usize, 1..5), pick: prop::sample::Index) {
        let ids: Vec<Vec<String>> = rounds
            .iter()
            .enumerate()
            .map(|(round, count)| (0..*count).map(|n| format!("{round}-{n}")).collect())
            .collect();
        let all: Vec<String> = ids.iter().flatten().cloned().collect();
        let dropped = &all[pick.index(all.len())];
        let build = |keep: &dyn Fn(&String) -> bool| {
            let turns: Vec<String> = ids
                .iter()
                .flat_map(|round| {
                    let uses: Vec<String> = round.iter().map(|id| format!("use:{id}")).collect();
                    let results: Vec<String> =
                        round.iter().filter(|id| keep(id)).map(|id| format!("result:{id}")).collect();
                    [("assistant", uses), ("user", results)]
                })
                .map(|(role, blocks)| say(role, &blocks.iter().map(String::as_str).collect::<Vec<_>>()))
                .collect();
            check_balance(&conversation(&format!("[{}]", turns.join(","))))
        };
        prop_assert_eq!(build(&|_| true), Ok(()));
        let round: usize = dropped.split_once('-').unwrap().0.parse().unwrap();
        let expected = BalanceBreach::Unanswered { message: 2 * round, tool_use_id: dropped.clone() };
        prop_assert_eq!(build(&|id| id != dropped), Err(expected));
    }
}
