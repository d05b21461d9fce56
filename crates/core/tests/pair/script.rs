//! What the server's handlers do, by the name of the tool that is called.

use std::time::Duration;

use proofmark_core::{
    json::Raw,
    jsonrpc::{ErrorCode, ErrorObject, Id},
    revision::Era,
    session::server::{Ask, AskError, AskId, Call, HandlerNotification, Input},
    types::{
        CallToolParams, CallToolResult, ClientRequest, ContentBlock, ElicitFormParams,
        ElicitParams, InputRequest, InputRequiredResult, ListRootsParams, ListToolsResult,
        LoggingLevel, ResultType, ServerRequest, ServerResult, TextContent,
    },
};

#[derive(Default)]
pub(crate) struct Script {
    /// Requests that are not answered until the test says so.
    pub(crate) held: Vec<Id<'static>>,
    asking: Vec<(AskId, Id<'static>)>,
    next_ask: u64,
}

impl Script {
    pub(crate) fn text(text: &str) -> ServerResult {
        ServerResult::CallTool(CallToolResult {
            content: vec![ContentBlock::Text(TextContent {
                text: text.into(),
                ..TextContent::default()
            })],
            ..CallToolResult::default()
        })
    }

    pub(crate) fn dispatch(&mut self, call: &Call<'_>) -> Vec<Input<'static>> {
        let done = |outcome| Input::Finished { id: call.id.clone(), outcome };
        match &call.request {
            ClientRequest::CallTool(params) => self.tool(call, params),
            ClientRequest::ListTools(_) => {
                vec![done(Ok(ServerResult::ListTools(ListToolsResult::default())))]
            }
            ClientRequest::Subscribe(_) | ClientRequest::Unsubscribe(_) => {
                vec![done(Ok(ServerResult::empty()))]
            }
            _ => {
                let error = ErrorObject::new(ErrorCode::INTERNAL_ERROR, "not in the script");
                vec![done(Err(error))]
            }
        }
    }

    fn tool(&mut self, call: &Call<'_>, params: &CallToolParams<'_>) -> Vec<Input<'static>> {
        let id = call.id.clone();
        let done = |text: &str| Input::Finished { id: id.clone(), outcome: Ok(Self::text(text)) };
        let notification = |notification| Input::Notify { request: id.clone(), notification };
        let progress =
            |progress| HandlerNotification::Progress { progress, total: Some(3.0), message: None };
        match params.name.as_ref() {
            "hold" => {
                self.held.push(id);
                vec![]
            }
            "progress" => {
                vec![
                    notification(progress(1.0)),
                    notification(progress(1.0)),
                    notification(progress(2.0)),
                    notification(progress(3.0)),
                    done("there"),
                ]
            }
            "log" => {
                let data = Raw::from_json("\"hm\"").expect("JSON");
                let log =
                    HandlerNotification::Log { level: LoggingLevel::Info, logger: None, data };
                vec![notification(log), done("logged")]
            }
            "again" if params.request_state.is_none() => vec![Input::Finished {
                id,
                outcome: Ok(ServerResult::InputRequired(InputRequiredResult {
                    result_type: Some(ResultType::InputRequired),
                    request_state: Some("once".into()),
                    ..InputRequiredResult::default()
                })),
            }],
            "forever" => vec![Input::Finished {
                id,
                outcome: Ok(ServerResult::InputRequired(InputRequiredResult {
                    result_type: Some(ResultType::InputRequired),
                    request_state: Some("more".into()),
                    ..InputRequiredResult::default()
                })),
            }],
            name => match question(name) {
                Some(question) if call.revision.era() == Era::Modern => {
                    vec![Self::ask_modern(id, params, question)]
                }
                Some(question) => vec![self.ask_legacy(id, question)],
                None => vec![done("done")],
            },
        }
    }

    fn ask_legacy(&mut self, id: Id<'static>, question: InputRequest) -> Input<'static> {
        let ask = AskId(self.next_ask);
        self.next_ask += 1;
        self.asking.push((ask, id.clone()));
        let what = match question {
            InputRequest::CreateMessage(params) => ServerRequest::CreateMessage(params),
            InputRequest::Elicit(params) => ServerRequest::Elicit(Box::new(params)),
            InputRequest::ListRoots(_) => ServerRequest::ListRoots(ListRootsParams::default()),
        };
        Input::Ask(Ask {
            ask,
            request: Some(id),
            task: None,
            what,
            patience: Duration::from_secs(30),
        })
    }

    fn ask_modern(
        id: Id<'static>,
        params: &CallToolParams<'_>,
        question: InputRequest,
    ) -> Input<'static> {
        let outcome = match (params.input_responses, params.request_state.as_deref()) {
            (Some(responses), Some("state")) => Self::text(responses.get()),
            (None, None) => ServerResult::InputRequired(InputRequiredResult {
                result_type: Some(ResultType::InputRequired),
                input_requests: Some([("q", question)].into_iter().collect()),
                request_state: Some("state".into()),
                meta: None,
            }),
            other => Self::text(&format!("a strange retry: {other:?}")),
        };
        Input::Finished { id, outcome: Ok(outcome) }
    }

    pub(crate) fn settled(
        &mut self,
        ask: AskId,
        outcome: Result<Raw, AskError>,
    ) -> Option<Input<'static>> {
        let at = self.asking.iter().position(|(asking, _)| *asking == ask)?;
        let (_, id) = self.asking.swap_remove(at);
        let text = match outcome {
            Ok(answer) => answer.as_str().to_owned(),
            Err(error) => format!("no answer: {error}"),
        };
        Some(Input::Finished { id, outcome: Ok(Self::text(&text)) })
    }
}

fn question(name: &str) -> Option<InputRequest> {
    Some(match name {
        "roots" => InputRequest::ListRoots(None),
        "sampling" => InputRequest::CreateMessage(Box::default()),
        "form" => InputRequest::Elicit(ElicitParams::Form(ElicitFormParams::default())),
        _ => return None,
    })
}
