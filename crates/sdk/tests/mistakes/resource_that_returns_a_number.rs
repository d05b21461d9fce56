use proofmark_sdk::server::Server;

fn main() {
    let _ = Server::builder("s", "1").resource("count://now", "count", async || 42_u64);
}
