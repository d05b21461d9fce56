use proofmark_sdk::server::Server;

struct Broken;

async fn fail() -> Result<String, Broken> {
    Err(Broken)
}

fn main() {
    let _ = Server::builder("s", "1").tool("fail", "Fails", fail);
}
