use proofmark_sdk::server::Server;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct A {
    a: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct B {
    b: i64,
}

async fn add(a: A, b: B) -> i64 {
    a.a + b.b
}

fn main() {
    let _ = Server::builder("s", "1").tool("add", "Adds", add);
}
