use proofmark_sdk::server::Server;

struct Connection;

fn main() {
    let connection = Connection;
    let _ = Server::builder("s", "1").tool("ping", "Pings", async move || {
        let _ = &connection;
        "pong"
    });
}
