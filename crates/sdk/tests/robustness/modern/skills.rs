//! Skills as clients see them.

use std::num::NonZeroUsize;

use proofmark_sdk::server::{BuildError, Server, ServerBuilder, Skill, resource};
use serde_json::{Value, json};

use crate::common::{HttpTest, Probe, code, http_with, modern, quick};

fn skill(name: &str) -> Skill {
    let text = format!("---\nname: {name}\ndescription: About {name}\n---\n");
    let files = [("SKILL.md", &*text), ("a.md", "a"), ("more/b.md", "b"), ("more/deep/c.md", "c")];
    Skill::from_files(files.map(|(path, text)| (path, text.to_owned()))).unwrap()
}

fn builder() -> ServerBuilder {
    Server::builder("s", "1").skill(skill("one")).skill(skill("two").under("acme").unwrap())
}

async fn serve(builder: ServerBuilder) -> HttpTest {
    http_with(builder.build().unwrap(), Probe::default(), "127.0.0.1:0", quick()).await
}

async fn ask(test: &HttpTest, method: &str, params: Value) -> Value {
    test.client.ask(&modern(1, method, params)).await.json()
}

/// The URIs of all pages.
async fn all(test: &HttpTest, method: &str, params: Value, list: &str) -> Vec<String> {
    let mut uris = Vec::new();
    let mut asked = params.clone();
    loop {
        let result = ask(test, method, asked).await["result"].clone();
        let items = result[list].as_array().unwrap_or_else(|| panic!("{result}"));
        uris.extend(items.iter().map(|item| item["uri"].as_str().unwrap().to_owned()));
        let Some(cursor) = result.get("nextCursor") else { return uris };
        asked = params.clone();
        asked["cursor"] = cursor.clone();
    }
}

#[tokio::test]
async fn the_extension_is_declared_where_there_are_skills() {
    let test = serve(builder()).await;
    let discovered = ask(&test, "server/discover", json!({})).await["result"].clone();
    let declared = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    assert_eq!(discovered["capabilities"]["extensions"], declared);
    assert!(discovered["capabilities"]["resources"].is_object());
    test.stop().await;
    let plain = Server::builder("s", "1").add_resource(resource("test://a", "a").text("a"));
    let test = serve(plain).await;
    let discovered = ask(&test, "server/discover", json!({})).await["result"].clone();
    assert_eq!(discovered["capabilities"].get("extensions"), None);
    assert_eq!(code(&ask(&test, "skills/list", json!({})).await), -32601);
    test.stop().await;
}

#[tokio::test]
async fn what_is_listed_is_what_is_got_and_read() {
    for size in [1, 100] {
        let test = serve(builder().page_size(NonZeroUsize::new(size).unwrap())).await;
        let uris = all(&test, "skills/list", json!({}), "skills").await;
        assert_eq!(uris, ["skill://one/SKILL.md", "skill://acme/two/SKILL.md"]);
        for uri in &uris {
            let got = ask(&test, "skills/get", json!({"uri": uri})).await["result"].clone();
            assert_eq!((&got["ttlMs"], &got["cacheScope"]), (&json!(60_000), &json!("public")));
            assert_eq!(got.get("nextCursor"), None);
            let skill = &got["skill"];
            assert_eq!(skill["uri"], *uri);
            for file in skill["resources"].as_array().unwrap() {
                let read = ask(&test, "resources/read", json!({"uri": file["uri"]})).await;
                let content = &read["result"]["contents"][0];
                assert_eq!(content["uri"], file["uri"]);
                assert_eq!(content["mimeType"], "text/markdown");
                assert_eq!(content["text"].as_str().unwrap().len() as u64, file["size"]);
            }
        }
        // Only the beginnings of skills are listed among the resources.
        assert_eq!(all(&test, "resources/list", json!({}), "resources").await, uris);
        test.stop().await;
    }
}

#[tokio::test]
async fn folders_are_read_one_level_at_a_time() {
    for size in [1, 2, 100] {
        let test = serve(builder().page_size(NonZeroUsize::new(size).unwrap())).await;
        let inside = async |uri: &str| {
            all(&test, "resources/directory/read", json!({"uri": uri}), "resources").await
        };
        assert_eq!(
            inside("skill://one").await,
            ["skill://one/SKILL.md", "skill://one/a.md", "skill://one/more"]
        );
        assert_eq!(
            inside("skill://acme/two/more").await,
            ["skill://acme/two/more/b.md", "skill://acme/two/more/deep"]
        );
        test.stop().await;
    }
}

#[tokio::test]
async fn what_is_no_skill_or_no_folder_is_refused_by_its_uri() {
    let test = serve(builder().page_size(NonZeroUsize::MIN)).await;
    for (method, uri) in [
        ("skills/get", "skill://none/SKILL.md"),
        ("skills/get", "skill://one"),
        ("skills/get", "skill://one/a.md"),
        ("resources/directory/read", "skill://one/SKILL.md"),
        ("resources/directory/read", "skill://one/"),
        ("resources/directory/read", "skill://none"),
        ("resources/read", "skill://one/none.md"),
        ("resources/read", "skill://one/more"),
    ] {
        let answer = ask(&test, method, json!({"uri": uri})).await;
        assert_eq!(code(&answer), -32602, "{method} {uri}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
    }
    // A cursor is good for the folder that it was given for.
    let first = ask(&test, "resources/directory/read", json!({"uri": "skill://one"})).await;
    let cursor = &first["result"]["nextCursor"];
    let elsewhere = json!({"uri": "skill://one/more", "cursor": cursor});
    assert_eq!(code(&ask(&test, "resources/directory/read", elsewhere).await), -32602);
    assert_eq!(code(&ask(&test, "skills/list", json!({"cursor": cursor})).await), -32602);
    test.stop().await;
}

#[tokio::test]
async fn skills_come_and_go() {
    let test = serve(builder()).await;
    test.server.add_skill(skill("three")).unwrap();
    assert!(matches!(test.server.add_skill(skill("three")), Err(BuildError::Taken(_))));
    assert!(test.server.remove_skill("skill://one/SKILL.md"));
    assert!(!test.server.remove_skill("skill://one/SKILL.md"));
    let uris = all(&test, "skills/list", json!({}), "skills").await;
    assert_eq!(uris, ["skill://acme/two/SKILL.md", "skill://three/SKILL.md"]);
    assert_eq!(all(&test, "resources/list", json!({}), "resources").await, uris);
    let gone = ask(&test, "resources/read", json!({"uri": "skill://one/a.md"})).await;
    assert_eq!(code(&gone), -32602);
    test.stop().await;
}

#[tokio::test]
async fn to_legacy_clients_a_skill_is_a_resource() {
    let test = serve(builder()).await;
    let client = test.client.begin("2025-06-18").await;
    let read = json!({"uri": "skill://one/more/b.md"});
    let answer = client.post(&crate::common::request(1, "resources/read", read)).await.json();
    assert_eq!(answer["result"]["contents"][0]["text"], "b");
    let list = client.post(&crate::common::request(2, "skills/list", json!({}))).await.json();
    assert_eq!(code(&list), -32601);
    test.stop().await;
}
