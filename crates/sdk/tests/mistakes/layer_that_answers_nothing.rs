use proofmark_sdk::server::{LayerRequest, Next, Server};

fn main() {
    let _ = Server::builder("s", "1").layer(async |request: LayerRequest, next: Next| {
        next.run(request).await;
    });
}
