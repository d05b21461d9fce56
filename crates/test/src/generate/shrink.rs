//! Makes arguments with which a test failed smaller, as long as it still fails.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::cases::{Case, CaseKind};
use crate::{
    connection::{Connection, Judging},
    expectation::{self, Received},
    file::{ClientAnswers, Server},
    schema,
};

/// The smallest arguments that were found with which a case still goes wrong.
pub async fn shrink(server: &Server, tool: &Value, case: &Case) -> Value {
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
    let Some(input) = tool.get("inputSchema") else { return case.value.clone() };
    let Ok(validator) = schema::compile(input) else { return case.value.clone() };
    let still_meant = |value: &Value| match &case.kind {
        CaseKind::Answered => true,
        CaseKind::Invalid { keyword, place } => {
            let broken = schema::broken(&validator, value);
            !broken.is_empty() && broken.iter().all(|it| it.0 == *keyword && it.1 == *place)
        }
        CaseKind::Valid => validator.is_valid(value),
    };
    let wanted = super::plan::reception(case);
    let mut smallest = case.value.clone();
    let mut connection: Option<Connection> = None;
    let mut tries = 0;
    let began = Instant::now();
    'again: loop {
        for candidate in smaller(&smallest) {
            if tries >= MOST_TRIES || began.elapsed() > MOST_TIME || !still_meant(&candidate) {
                continue;
            }
            tries += 1;
            let open = match connection.take() {
                Some(open) => open,
                None => {
                    match Connection::open(server, &ClientAnswers::default(), Judging::Off).await {
                        Ok(open) => open,
                        Err(_) => return smallest,
                    }
                }
            };
            let answer = open.call(name, &candidate).await;
            let alive = open.is_alive().await.is_ok();
            let wrong = !alive
                || matches!(expectation::reception(wanted, &answer, tool), Received::Wrong(..));
            if alive {
                connection = Some(open);
            } else {
                open.close().await;
            }
            if wrong {
                smallest = candidate;
                continue 'again;
            }
        }
        break;
    }
    if let Some(open) = connection {
        open.close().await;
    }
    smallest
}

/// Values that are a little smaller, in one place each.
fn smaller(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(members) => {
            let mut all = Vec::new();
            for name in members.keys() {
                let mut less = members.clone();
                less.remove(name);
                all.push(Value::Object(less));
            }
            for (name, part) in members {
                for part in smaller(part) {
                    let mut whole = members.clone();
                    whole.insert(name.clone(), part);
                    all.push(Value::Object(whole));
                }
            }
            all
        }
        Value::Array(items) => {
            let mut all = Vec::new();
            if items.len() > 1 {
                all.push(Value::Array(items[..items.len() / 2].to_vec()));
                all.push(Value::Array(items[..items.len() - 1].to_vec()));
            } else if items.len() == 1 {
                all.push(Value::Array(Vec::new()));
            }
            for (at, item) in items.iter().enumerate().take(4) {
                for item in smaller(item) {
                    let mut whole = items.clone();
                    whole[at] = item;
                    all.push(Value::Array(whole));
                }
            }
            all
        }
        Value::String(text) if !text.is_empty() => {
            let letters: Vec<char> = text.chars().collect();
            let half: String = letters[..letters.len() / 2].iter().collect();
            let less: String = letters[..letters.len() - 1].iter().collect();
            vec![Value::String(half), Value::String(less)]
        }
        Value::Number(number) if number.as_i64().is_some_and(|it| it != 0) => {
            let number = number.as_i64().unwrap_or_default();
            vec![(number / 2).into()]
        }
        _ => Vec::new(),
    }
}

const MOST_TRIES: usize = 60;
/// After this no further try is begun.
const MOST_TIME: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_smaller_has_an_end() {
        let mut value = json!({"a": [1, 2, {"b": "text"}], "c": -9});
        let mut steps = 0;
        while let Some(next) = smaller(&value).into_iter().next_back() {
            value = next;
            steps += 1;
            assert!(steps < 1000);
        }
    }
}
