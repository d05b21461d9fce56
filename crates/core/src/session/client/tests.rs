//! What only shows over HTTP, or with servers that ours would never be.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::{
    json::Raw,
    jsonrpc::{Limits, parse},
    revision::{RequestMethod, ServerCapability},
    session::server::Link,
    types::{ClientCapabilities, Implementation, SKILLS_EXTENSION, TASKS_EXTENSION},
};

struct Bench {
    session: ClientSession,
    now: Time,
}

impl Bench {
    fn new(change: impl FnOnce(&mut Profile)) -> Self {
        let mut profile =
            Profile::new(Implementation::new("client", "1"), ClientCapabilities::default());
        change(&mut profile);
        let mut bench =
            Self { session: ClientSession::new(Arc::new(profile)), now: Time::default() };
        let started = bench.input(Input::Start);
        assert_eq!(started.len(), 1);
        bench
    }

    /// A conversation in the modern era with a server that declares this.
    fn modern(capabilities: &Value, change: impl FnOnce(&mut Profile)) -> Self {
        let mut bench = Self::new(change);
        let outputs = bench.receive(&json!({"jsonrpc": "2.0", "id": 1, "result": {
            "supportedVersions": [modern_version()], "capabilities": capabilities,
            "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}}));
        assert!(matches!(outputs[..], [Output::Connected(_)]), "{outputs:?}");
        bench
    }

    /// A conversation in the newest legacy revision with a server that declares this.
    fn legacy(capabilities: &Value, change: impl FnOnce(&mut Profile)) -> Self {
        let mut bench = Self::new(|profile| {
            profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
            change(profile);
        });
        let outputs = bench.receive(&json!({"jsonrpc": "2.0", "id": 1, "result": {
            "protocolVersion": Revision::newest(Era::Legacy), "capabilities": capabilities,
            "serverInfo": {"name": "s", "version": "1"}}}));
        assert!(matches!(outputs[..], [Output::Transmit(_), Output::Connected(_)]));
        bench
    }

    fn input(&mut self, input: Input<'_>) -> Vec<Output> {
        self.session.handle(self.now, input)
    }

    fn receive(&mut self, message: &Value) -> Vec<Output> {
        self.over(message, None)
    }

    fn receive_http(&mut self, message: &Value, status: u16) -> Vec<Output> {
        self.over(message, Some(HttpFacts { status, request: Some(Id::Integer(1)) }))
    }

    fn over(&mut self, message: &Value, http: Option<HttpFacts>) -> Vec<Output> {
        let text = message.to_string();
        let incoming = parse(text.as_bytes(), &Limits::default()).unwrap();
        self.input(Input::Received { incoming, http })
    }

    fn call(&mut self, method: RequestMethod, params: &Value) -> Vec<Output> {
        let params = Some(Raw::from_json(params.to_string()).unwrap());
        self.input(Input::Call(&Call::new(CallId(1), method, params)))
    }

    fn tool(&mut self) -> Vec<Output> {
        self.call(RequestMethod::ToolsCall, &json!({"name": "t"}))
    }

    fn pass(&mut self, seconds: u64) -> Vec<Output> {
        self.now = self.now + Duration::from_secs(seconds);
        self.input(Input::TimePassed)
    }
}

fn modern_version() -> &'static str {
    Revision::newest(Era::Modern).as_str()
}

fn error(code: i64, data: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "no", "data": data}})
}

fn result(id: i64, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The methods of the requests among the outputs.
fn requests(outputs: &[Output]) -> Vec<&'static str> {
    let methods = outputs.iter().filter_map(|output| match output {
        Output::Transmit(Transmit { message: Outgoing::Request { method, .. }, .. }) => {
            Some(method.as_str())
        }
        _ => None,
    });
    methods.collect()
}

#[track_caller]
fn outcome(outputs: &[Output]) -> &Result<Completion, CallError> {
    let [Output::Completed { outcome, .. }] = outputs else { panic!("{outputs:?}") };
    outcome
}

#[test]
fn any_error_that_is_not_modern_means_a_legacy_server() {
    for code in [-32000, -32001, -32002, -32600, -32601, -32602, -32603, -32700, 7] {
        let mut bench = Bench::new(|_| {});
        let outputs = bench.receive(&error(code, &json!(null)));
        assert_eq!(requests(&outputs), ["initialize"], "{code}");
    }
}

#[test]
fn an_error_that_only_modern_servers_know_is_never_followed_by_initialize() {
    for code in [-32020, -32021, -32022] {
        let mut bench = Bench::new(|_| {});
        let outputs = bench.receive(&error(code, &json!(null)));
        assert!(
            matches!(outputs[..], [Output::Failed(_), Output::Disconnect]),
            "{code}: {outputs:?}"
        );
    }
}

#[test]
fn a_server_that_refuses_the_version_it_names_is_asked_once_more_and_no_more() {
    let mut bench = Bench::new(|_| {});
    let data = json!({"supported": [modern_version()], "requested": modern_version()});
    let outputs = bench.receive(&error(-32022, &data));
    assert_eq!(requests(&outputs), ["server/discover"]);
    let again = json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32022, "message": "no", "data": data}});
    let outputs = bench.receive(&again);
    assert!(matches!(outputs[0], Output::Failed(Failure::Refused(_))), "{outputs:?}");
}

#[test]
fn an_answer_that_is_no_discovery_means_a_legacy_server() {
    for answer in [
        json!({}),
        json!({"resultType": "task", "supportedVersions": [],
        "capabilities": {}}),
    ] {
        let mut bench = Bench::new(|_| {});
        assert_eq!(requests(&bench.receive(&result(1, &answer))), ["initialize"], "{answer}");
    }
}

#[test]
fn a_method_that_is_not_found_by_status_too_means_a_modern_server_over_http() {
    let mut bench = Bench::new(|profile| profile.link = Link::Http);
    let outputs = bench.receive_http(&error(-32601, &json!(null)), 404);
    let [Output::Connected(server)] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!((server.revision.as_str(), &server.capabilities), (modern_version(), &None));
    // Nothing is known to be missing.
    assert_eq!(requests(&bench.tool()), ["tools/call"]);

    let mut bench = Bench::new(|profile| profile.link = Link::Http);
    let outputs = bench.receive_http(&error(-32601, &json!(null)), 200);
    assert_eq!(requests(&outputs), ["initialize"]);
}

#[test]
fn an_error_without_an_id_answers_the_request_that_it_came_for() {
    let mut bench = Bench::new(|profile| profile.link = Link::Http);
    let message = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "no"}});
    assert_eq!(requests(&bench.receive_http(&message, 400)), ["initialize"]);
    let outputs = bench.receive(&message);
    assert!(matches!(outputs[..], [Output::Breach(Breach::ErrorWithoutId(_))]));
}

#[test]
fn a_status_without_a_message_means_a_legacy_server_and_then_perhaps_an_older_transport() {
    let mut bench = Bench::new(|profile| profile.link = Link::Http);
    let outputs = bench.input(Input::Rejected { request: Id::Integer(1), status: 405 });
    assert_eq!(requests(&outputs), ["initialize"]);
    let outputs = bench.input(Input::Rejected { request: Id::Integer(2), status: 405 });
    let [Output::Failed(failure), Output::Disconnect] = &outputs[..] else { panic!("{outputs:?}") };
    assert!(failure.suggests_http_sse());
    let offered = Revision::newest(Era::Legacy);
    assert!(!Failure::Rejected { status: 500, offered }.suggests_http_sse());
    assert!(!Failure::TimedOut.suggests_http_sse());
}

#[test]
fn a_server_that_names_its_versions_in_an_error_is_offered_one_of_them_once() {
    let oldest = Revision::of(Era::Legacy).next().unwrap();
    let mut bench = Bench::new(|profile| {
        profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
    });
    let data = json!({"supported": [oldest], "requested": "x"});
    let outputs = bench.receive(&error(-32602, &data));
    let [Output::Transmit(Transmit { revision, .. })] = &outputs[..] else { panic!() };
    assert_eq!(*revision, oldest);
    let again = json!({"jsonrpc": "2.0", "id": 2,
        "error": {"code": -32602, "message": "no", "data": data}});
    assert!(matches!(bench.receive(&again)[0], Output::Failed(Failure::Refused(_))));
}

#[test]
fn a_modern_server_that_is_slow_to_start_is_recognized_by_its_late_answer() {
    let mut bench = Bench::new(|_| {});
    assert_eq!(requests(&bench.pass(5)), ["initialize"]);
    let discovery = json!({"supportedVersions": [modern_version()], "capabilities": {},
        "resultType": "complete", "ttlMs": 0, "cacheScope": "public"});
    let outputs = bench.receive(&result(1, &discovery));
    assert!(matches!(&outputs[..], [Output::Connected(server)]
        if server.revision == Revision::newest(Era::Modern)));
    // What it then says about the greeting is of no interest.
    let refused = json!({"jsonrpc": "2.0", "id": 2, "error": {"code": -32600, "message": "no"}});
    assert_eq!(bench.receive(&refused), []);
}

#[test]
fn a_legacy_server_that_is_slow_to_start_may_refuse_the_probe_late() {
    let mut bench = Bench::new(|_| {});
    assert_eq!(requests(&bench.pass(5)), ["initialize"]);
    assert_eq!(bench.receive(&error(-32601, &json!(null))), []);
    let outputs = bench.receive(&result(
        2,
        &json!({
        "protocolVersion": Revision::newest(Era::Legacy), "capabilities": {},
        "serverInfo": {"name": "s", "version": "1"}}),
    ));
    assert!(matches!(outputs[..], [Output::Transmit(_), Output::Connected(_)]), "{outputs:?}");
    // One that has been greeted is not modern any more, whatever it says.
    let discovery = json!({"supportedVersions": [modern_version()], "capabilities": {}});
    assert_eq!(bench.receive(&result(1, &discovery)), []);
}

#[test]
fn where_only_the_modern_era_is_wanted_the_probe_may_take_as_long_as_any_call() {
    let mut bench = Bench::new(|profile| profile.preference = Preference::Modern);
    assert_eq!(bench.pass(59), []);
    assert_eq!(bench.pass(1), [Output::Failed(Failure::TimedOut), Output::Disconnect]);
}

#[test]
fn initialize_is_never_cancelled() {
    let mut bench = Bench::new(|profile| {
        profile.preference = Preference::Legacy(Revision::newest(Era::Legacy));
    });
    let outputs = bench.pass(60);
    assert_eq!(outputs, [Output::Failed(Failure::TimedOut), Output::Disconnect]);
}

#[test]
fn a_modern_call_over_http_is_cancelled_by_closing_its_response() {
    let mut bench = Bench::modern(&json!({"tools": {}}), |profile| profile.link = Link::Http);
    bench.tool();
    let outputs = bench.input(Input::Cancel(CallId(1)));
    assert_eq!(outputs[0], Output::Abandon(Id::Integer(2)));
    assert_eq!(*outcome(&outputs[1..]), Err(CallError::Cancelled));
    assert_eq!(bench.input(Input::Disconnected(Id::Integer(2))), []);
}

#[test]
fn a_legacy_call_over_http_is_cancelled_with_a_notification() {
    let mut bench = Bench::legacy(&json!({"tools": {}}), |profile| profile.link = Link::Http);
    bench.tool();
    let outputs = bench.input(Input::Cancel(CallId(1)));
    assert!(matches!(
        &outputs[0],
        Output::Transmit(Transmit {
            message: Outgoing::Notification { method: NotificationMethod::Cancelled, .. },
            ..
        })
    ));
}

#[test]
fn a_response_that_ends_without_an_answer_ends_its_call() {
    let mut bench = Bench::modern(&json!({"tools": {}}), |profile| profile.link = Link::Http);
    bench.tool();
    let outputs = bench.input(Input::Disconnected(Id::Integer(2)));
    assert_eq!(*outcome(&outputs), Err(CallError::Disconnected));
    bench.tool();
    let outputs = bench.input(Input::Rejected { request: Id::Integer(3), status: 503 });
    assert_eq!(*outcome(&outputs), Err(CallError::Rejected { status: 503 }));
}

#[track_caller]
fn headers(outputs: &[Output]) -> Headers {
    let [Output::Transmit(transmit)] = outputs else { panic!("{outputs:?}") };
    transmit.headers()
}

#[test]
fn modern_headers_repeat_the_version_the_method_and_what_it_is_about() {
    let tasks = json!({"tools": {}, "resources": {}, "extensions": {TASKS_EXTENSION: {}}});
    let mut bench = Bench::modern(&tasks, |profile| {
        profile.capabilities = crate::session::capability::tasks_extension();
    });
    for (method, params, name) in [
        (RequestMethod::ToolsCall, json!({"name": "t"}), Some("t")),
        (RequestMethod::ResourcesRead, json!({"uri": "a:1"}), Some("a:1")),
        (RequestMethod::TasksGet, json!({"taskId": "7"}), Some("7")),
        (RequestMethod::ToolsList, json!({"name": "x"}), None),
    ] {
        let headers = headers(&bench.call(method, &params));
        assert_eq!(headers.version, Some(Revision::newest(Era::Modern)));
        assert_eq!(headers.method, Some(method));
        assert_eq!(headers.name.as_deref(), name);
    }
}

#[test]
fn a_legacy_version_header_comes_after_initialize() {
    let newest = Revision::newest(Era::Legacy);
    let mut profile =
        Profile::new(Implementation::new("client", "1"), ClientCapabilities::default());
    profile.preference = Preference::Legacy(newest);
    let mut session = ClientSession::new(Arc::new(profile));
    assert_eq!(headers(&session.handle(Time::default(), Input::Start)), Headers::default());
    let mut bench = Bench::legacy(&json!({"tools": {}}), |_| {});
    assert_eq!(headers(&bench.tool()), Headers { version: Some(newest), ..Headers::default() });
}

#[test]
fn a_call_that_asks_to_become_a_task_completes_with_the_task() {
    let declared = json!({"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}});
    let task = json!({"taskId": "7", "status": "working", "createdAt": "x",
        "lastUpdatedAt": "x", "ttl": null});
    let mut bench = Bench::legacy(&declared, |_| {});
    bench.call(RequestMethod::ToolsCall, &json!({"name": "t", "task": {}}));
    let outputs = bench.receive(&result(2, &json!({"task": task})));
    let Ok(Completion::Task(created)) = outcome(&outputs) else { panic!("{outputs:?}") };
    assert_eq!(created.task.task_id, "7");
    bench.tool();
    let outputs = bench.receive(&result(3, &json!({"task": task})));
    assert!(matches!(outcome(&outputs), Ok(Completion::Result(_))));
}

#[test]
fn a_task_is_not_asked_of_a_server_that_runs_none() {
    let mut bench = Bench::legacy(&json!({"tools": {}}), |_| {});
    let outputs = bench.call(RequestMethod::ToolsCall, &json!({"name": "t", "task": {}}));
    let missing = CallError::NotDeclared(ServerCapability::TasksToolsCall);
    assert_eq!(*outcome(&outputs), Err(missing));
    let outputs = bench.call(RequestMethod::TasksList, &json!({}));
    let missing = CallError::NotDeclared(ServerCapability::TasksList);
    assert_eq!(*outcome(&outputs), Err(missing));
}

#[test]
fn a_modern_server_makes_tasks_only_for_clients_that_declare_the_extension() {
    let task = json!({"resultType": "task", "taskId": "7", "status": "working",
        "createdAt": "x", "lastUpdatedAt": "x", "ttlMs": 5});
    let declared = json!({"tools": {}, "extensions": {TASKS_EXTENSION: {}}});
    let mut bench = Bench::modern(&declared, |profile| {
        profile.capabilities = crate::session::capability::tasks_extension();
    });
    bench.tool();
    let outputs = bench.receive(&result(2, &task));
    let Ok(Completion::ExtensionTask(created)) = outcome(&outputs) else { panic!("{outputs:?}") };
    assert_eq!(created.task_id, "7");

    let mut bench = Bench::modern(&declared, |_| {});
    bench.tool();
    assert_eq!(*outcome(&bench.receive(&result(2, &task))), Err(CallError::UnexpectedTask));
    let outputs = bench.call(RequestMethod::TasksGet, &json!({"taskId": "7"}));
    assert_eq!(*outcome(&outputs), Err(CallError::NotDeclaredTasks));
}

#[test]
fn skills_are_asked_only_of_servers_that_declare_them() {
    let [list, get, folder] = [
        (RequestMethod::SkillsList, json!({})),
        (RequestMethod::SkillsGet, json!({"uri": "skill://a/SKILL.md"})),
        (RequestMethod::ResourcesDirectoryRead, json!({"uri": "skill://a"})),
    ];
    for (declared, allowed) in [
        (json!({}), [false, false, false]),
        (json!({SKILLS_EXTENSION: {}}), [true, true, false]),
        (json!({SKILLS_EXTENSION: {"directoryRead": true}}), [true, true, true]),
    ] {
        let declared = json!({"resources": {}, "extensions": declared});
        for ((method, params), allowed) in [&list, &get, &folder].into_iter().zip(allowed) {
            let mut bench = Bench::modern(&declared, |_| {});
            let outputs = bench.call(*method, params);
            let sent = matches!(outputs[..], [Output::Transmit(_)]);
            assert_eq!(sent, allowed, "{method:?}: {outputs:?}");
            if !allowed {
                assert_eq!(*outcome(&outputs), Err(CallError::NotDeclaredSkills));
            }
        }
    }
}

#[test]
fn only_some_calls_may_be_answered_with_questions() {
    let mut bench = Bench::modern(&json!({"tools": {}}), |_| {});
    bench.call(RequestMethod::ToolsList, &json!({}));
    let asks = json!({"resultType": "input_required", "requestState": "s"});
    let unexpected = CallError::UnexpectedInput(RequestMethod::ToolsList);
    assert_eq!(*outcome(&bench.receive(&result(2, &asks))), Err(unexpected));
    bench.tool();
    let nothing = json!({"resultType": "input_required"});
    assert_eq!(*outcome(&bench.receive(&result(3, &nothing))), Err(CallError::AsksNothing));
}

#[test]
fn an_absent_result_type_means_complete() {
    let mut bench = Bench::modern(&json!({"tools": {}}), |_| {});
    bench.tool();
    let outputs = bench.receive(&result(2, &json!({"content": []})));
    assert!(matches!(outcome(&outputs), Ok(Completion::Result(_))));
}

#[test]
fn all_questions_of_a_result_are_answered_before_the_retry() {
    let capabilities = json!({"roots": {}, "elicitation": {"form": {}}});
    let mut bench = Bench::modern(&json!({"tools": {}}), |profile| {
        profile.capabilities = serde_json::from_value(capabilities).unwrap();
    });
    bench.tool();
    let asks = json!({"resultType": "input_required", "inputRequests": {
        "b": {"method": "roots/list"},
        "a": {"method": "roots/list"}}});
    let outputs = bench.receive(&result(2, &asks));
    let [Output::Ask { ask: first, .. }, Output::Ask { ask: second, .. }] = outputs[..] else {
        panic!("{outputs:?}")
    };
    let answer = |ask| Input::Answered { ask, outcome: Ok(Raw::from_json("{}").unwrap()) };
    assert_eq!(bench.input(answer(second)), []);
    assert_eq!(bench.input(answer(second)), []);
    let outputs = bench.input(answer(first));
    let [Output::Transmit(Transmit { message: Outgoing::Request { params, .. }, .. })] =
        &outputs[..]
    else {
        panic!("{outputs:?}")
    };
    let params: Value = params.as_ref().unwrap().decode().unwrap();
    assert_eq!(params["inputResponses"], json!({"a": {}, "b": {}}));
    assert!(params.get("requestState").is_none());
}

#[test]
fn more_resources_than_the_limit_are_not_watched() {
    let declared = json!({"resources": {"subscribe": true}});
    let mut bench = Bench::legacy(&declared, |profile| profile.limits.subscriptions = 1);
    let method = RequestMethod::ResourcesSubscribe;
    bench.call(method, &json!({"uri": "a:1"}));
    let outputs = bench.call(method, &json!({"uri": "a:2"}));
    assert_eq!(*outcome(&outputs), Err(CallError::TooManySubscriptions { limit: 1 }));
    bench.receive(&result(2, &json!({})));
    assert_eq!(bench.session.watched(), ["a:1"]);
    let outputs = bench.call(method, &json!({"uri": "a:2"}));
    assert_eq!(*outcome(&outputs), Err(CallError::TooManySubscriptions { limit: 1 }));
}

#[test]
fn a_task_that_was_not_declared_is_taken_off_a_question() {
    let mut bench = Bench::legacy(&json!({}), |profile| {
        profile.capabilities = serde_json::from_value(json!({"sampling": {}})).unwrap();
    });
    let outputs = bench.receive(&json!({"jsonrpc": "2.0", "id": 1,
        "method": "sampling/createMessage",
        "params": {"messages": [], "maxTokens": 1, "task": {"ttl": 5}}}));
    let [Output::Ask { what: crate::types::ServerRequest::CreateMessage(params), .. }] =
        &outputs[..]
    else {
        panic!("{outputs:?}")
    };
    assert_eq!(params.task, None);
}
