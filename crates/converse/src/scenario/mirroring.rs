//! Headers that do not say what the body says, and some that do in an unusual way.

use serde_json::{Value, json};

use super::{
    Expect, KnownCalls, Probe, Scenario,
    headers::foreign_origins,
    probe::request,
    request_metadata::{sentinel, with_metadata},
};
use proofmark_record::event::Headers;
use proofmark_record::topic::Topic;

impl Scenario {
    pub const MIRRORING: Self = Self {
        name: "mirroring",
        title: "headers that contradict the body",
        applies: |here| here.is_modern() && here.is_over_http(),
        needs_tour: true,
        talk: |talk| Box::pin(mirroring(&mut talk.probe, talk.calls)),
        ..Self::USUAL
    };
}

async fn mirroring(probe: &mut Probe, calls: &KnownCalls) {
    let KnownCalls { plain, marked, counted, .. } = calls;
    let mut talk = Talk { probe };
    for (id, mutation) in HEADERS_OF_ALL {
        talk.post(Topic::BadHeader, id, "server/discover", &json!({}), mutation).await;
    }
    talk.post(Topic::GoodHeader, "loud-names", "server/discover", &json!({}), |headers| {
        for (name, _) in headers {
            *name = name.to_ascii_uppercase();
        }
    })
    .await;
    if let Some(params) = plain {
        for (id, mutation) in HEADERS_OF_CALLS {
            talk.post(Topic::BadHeader, id, "tools/call", params, mutation).await;
        }
        talk.post(Topic::GoodHeader, "encoded-name", "tools/call", params, |headers| {
            set(headers, "mcp-name", sentinel);
        })
        .await;
    }
    if let Some((params, argument)) = marked {
        let header = argument.header();
        if let Some((http, _)) = talk.probe.http_and_recorder() {
            http.marked = vec![argument.clone()];
        }
        talk.post(Topic::GoodHeader, "all-headers", "tools/call", params, |_| {}).await;
        talk.post(Topic::BadHeader, "no-param", "tools/call", params, |headers| {
            headers.retain(|(name, _)| *name != header);
        })
        .await;
        talk.post(Topic::BadHeader, "wrong-param", "tools/call", params, |headers| {
            set(headers, &header, |value| format!("{value}-not"));
        })
        .await;
        for (id, value) in [("absent-param", None), ("null-param", Some(Value::Null))] {
            let without = argument.replaced(params, value);
            talk.post(Topic::AbsentParam, id, "tools/call", &without, |_| {}).await;
        }
        if argument.value(&params["arguments"]).is_some_and(Value::is_string) {
            let odd = argument.replaced(params, Some(json!("r\u{e9}gion")));
            talk.post(Topic::BadHeader, "raw-param", "tools/call", &odd, |headers| {
                set(headers, &header, |_| "r\u{e9}gion".to_owned());
            })
            .await;
        }
        talk.post(Topic::GoodHeader, "encoded-param", "tools/call", params, |headers| {
            set(headers, &header, sentinel);
        })
        .await;
    }
    if let Some((params, argument)) = counted {
        let header = argument.header();
        if let Some((http, _)) = talk.probe.http_and_recorder() {
            http.marked = vec![argument.clone()];
        }
        talk.post(Topic::GoodHeader, "decimal-param", "tools/call", params, |headers| {
            set(headers, &header, |value| format!("{value}.0"));
        })
        .await;
    }
    let authority = talk.probe.http_and_recorder().map(|(http, _)| http.url.authority());
    for origin in foreign_origins(&authority.unwrap_or_default()) {
        talk.post(Topic::ForeignOrigin, "foreign", "server/discover", &json!({}), |headers| {
            headers.push(("origin".to_owned(), origin.clone()));
        })
        .await;
    }
}

struct Talk<'t> {
    probe: &'t mut Probe,
}

impl Talk<'_> {
    async fn post(
        &mut self,
        topic: Topic,
        id: &str,
        method: &str,
        params: &Value,
        mutation: impl Fn(&mut Headers),
    ) {
        let settings = self.probe.settings();
        let params = with_metadata(Some(params.clone()), settings.revision, settings.client_kind);
        let message = request(&json!(id), method, Some(params));
        let Some((http, recorder)) = self.probe.http_and_recorder() else { return };
        let mut headers = http.headers_for(&message);
        mutation(&mut headers);
        let expect = Expect::Answer(json!(id));
        http.post_with(recorder, topic, &message.to_string(), headers, Some(&expect)).await;
    }
}

fn set(headers: &mut Headers, name: &str, change: impl Fn(&str) -> String) {
    for (_, value) in headers.iter_mut().filter(|(known, _)| known == name) {
        *value = change(value);
    }
}

fn remove(headers: &mut Headers, name: &str) {
    headers.retain(|(known, _)| known != name);
}

type ChangeHeaders = fn(&mut Headers);

const HEADERS_OF_ALL: [(&str, ChangeHeaders); 4] = [
    ("no-version", |headers| remove(headers, "mcp-protocol-version")),
    ("other-version", |headers| set(headers, "mcp-protocol-version", |_| "2025-11-25".to_owned())),
    ("no-method", |headers| remove(headers, "mcp-method")),
    ("wrong-method", |headers| set(headers, "mcp-method", |_| "tools/list".to_owned())),
];
const HEADERS_OF_CALLS: [(&str, ChangeHeaders); 3] = [
    ("no-name", |headers| remove(headers, "mcp-name")),
    ("wrong-name", |headers| set(headers, "mcp-name", |name| format!("{name}-not"))),
    ("loud-sentinel", |headers| {
        set(headers, "mcp-name", |name| sentinel(name).replace("base64", "BASE64"));
    }),
];
