use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use http::{HeaderMap, Method, StatusCode, Uri};
use proofmark_core::{
    revision::Revision,
    session::client::{Preference, Profile},
    types::{ClientCapabilities, Implementation},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split},
    task::JoinSet,
};

use super::*;
use crate::{
    BoxFuture,
    client::{
        ClientSettings, Target,
        engine::Engine,
        handlers::Handlers,
        http::{Attempt, Authorizer, Shown, Unauthorized, Verdict},
    },
};

#[tokio::test]
async fn a_private_result_is_never_given_to_another_user() {
    let test = connect("private").await;
    assert_eq!(test.list().await, "list 1");
    assert_eq!(test.list().await, "list 1", "ann's own is kept");
    test.set_user("bob");
    assert_eq!(test.list().await, "list 2");
    assert_eq!(test.list().await, "list 2");
    test.set_user("ann");
    assert_eq!(test.list().await, "list 1");
    test.set_user("");
    assert_eq!(test.list().await, "list 3", "no user is another user, too");
}

#[tokio::test]
async fn a_public_result_is_for_every_user() {
    let test = connect("public").await;
    assert_eq!(test.list().await, "list 1");
    test.set_user("bob");
    assert_eq!(test.list().await, "list 1");
}

#[tokio::test]
async fn a_result_that_was_under_way_when_the_user_changed_is_not_kept() {
    let test = connect("private").await;
    *test.becomes.lock().unwrap() = Some("bob".to_owned());
    assert_eq!(test.list().await, "list 1", "it is for ann, who asked");
    assert_eq!(test.list().await, "list 2", "but not for bob");
    test.set_user("ann");
    assert_eq!(test.list().await, "list 3", "nor, as far as is known, for ann");
}

/// A client of a server whose lists can be told apart, and whose user can be changed.
struct Test {
    client: Client,
    user: Arc<User>,
    /// Who the user is from the moment on that the server has heard the next request.
    becomes: Arc<Mutex<Option<String>>>,
    _serving: JoinSet<()>,
}

impl Test {
    async fn list(&self) -> String {
        self.client.list_tools(None).await.unwrap().tools[0].name.clone()
    }

    fn set_user(&self, name: &str) {
        name.clone_into(&mut self.user.0.lock().unwrap());
    }
}

async fn connect(scope: &'static str) -> Test {
    let (near, far) = duplex(64 * 1024);
    let user = Arc::new(User(Mutex::new("ann".to_owned())));
    let becomes: Arc<Mutex<Option<String>>> = Arc::default();
    let mut serving = JoinSet::new();
    let (changing, next) = (user.clone(), becomes.clone());
    serving.spawn(async move {
        let listed = AtomicUsize::new(0);
        let (reader, mut writer) = split(far);
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            if let Some(name) = next.lock().unwrap().take() {
                *changing.0.lock().unwrap() = name;
            }
            let Some(id) = message.get("id") else { continue };
            let result = if message["method"] == "server/discover" {
                json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private"})
            } else {
                let name = format!("list {}", listed.fetch_add(1, Ordering::SeqCst) + 1);
                json!({"tools": [{"name": name, "inputSchema": {"type": "object"}}],
                    "resultType": "complete", "ttlMs": 60_000, "cacheScope": scope})
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    let mut profile = Profile::new(Implementation::new("test", "1"), ClientCapabilities::default());
    profile.preference = Preference::Modern;
    let engine = Engine::new(
        ClientSettings::default(),
        profile,
        Handlers::default(),
        Some(user.clone() as Arc<dyn Authorizer>),
    );
    let (reader, writer) = split(near);
    let client = Client::start(engine, Target::streams(reader, writer));
    client.engine().ready().await.unwrap();
    Test { client, user, becomes, _serving: serving }
}

/// The user who is logged in; tokens have nothing to do with it here.
struct User(Mutex<String>);

impl Authorizer for User {
    fn sign<'a>(
        self: Arc<Self>,
        _: &'a Method,
        _: &'a Uri,
        _: &'a mut HeaderMap,
    ) -> BoxFuture<'a, Result<Option<Shown>, Unauthorized>> {
        Box::pin(async { Ok(None) })
    }

    fn judge<'a>(
        self: Arc<Self>,
        _: &'a mut Attempt,
        _: Option<&'a Shown>,
        _: StatusCode,
        _: &'a HeaderMap,
        _: Option<Revision>,
    ) -> BoxFuture<'a, Result<Verdict, Unauthorized>> {
        Box::pin(async { Ok(Verdict::Final) })
    }

    fn context(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}
