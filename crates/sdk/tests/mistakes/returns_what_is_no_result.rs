use proofmark_sdk::server::Server;

struct Total(i64);

async fn add() -> Total {
    Total(1)
}

fn main() {
    let _ = Server::builder("s", "1").tool("add", "Adds", add);
}
