use proofmark_sdk::server::Server;

#[derive(serde::Deserialize)]
struct Review {
    code: String,
}

fn main() {
    let _ = Server::builder("s", "1")
        .prompt("review", "Reviews", async |review: Review| review.code);
}
