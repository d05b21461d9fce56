use std::sync::Mutex;

use proofmark_sdk::server::{Server, State};

async fn count(counter: State<Mutex<u64>>) -> u64 {
    let mut count = counter.lock().unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    *count += 1;
    *count
}

fn main() {
    let _ = Server::builder("s", "1").tool("count", "Counts", count);
}
