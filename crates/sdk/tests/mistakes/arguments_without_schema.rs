use proofmark_sdk::server::Server;

#[derive(serde::Deserialize)]
struct Sum {
    a: i64,
}

async fn add(sum: Sum) -> i64 {
    sum.a
}

fn main() {
    let _ = Server::builder("s", "1").tool("add", "Adds", add);
}
