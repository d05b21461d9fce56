use proofmark_sdk::server::Server;

fn hello() -> &'static str {
    "Hello"
}

fn main() {
    let _ = Server::builder("s", "1").tool("hello", "Says hello", hello);
}
