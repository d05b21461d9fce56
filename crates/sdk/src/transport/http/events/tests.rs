use std::collections::VecDeque;

use futures_util::StreamExt;
use tokio::time::sleep_until;

use super::*;

/// Has what it is given, one after the other, and is quiet then.
struct Given {
    frames: VecDeque<Next>,
    alive: bool,
}

impl EventSource for Given {
    async fn next(&mut self) -> Next {
        self.frames.pop_front().unwrap_or(Next::Nothing)
    }

    async fn wait(&mut self, until: Instant) {
        sleep_until(until).await;
    }

    async fn is_alive(&mut self) -> bool {
        self.alive
    }
}

fn given(frames: impl IntoIterator<Item = Next>, alive: bool) -> Given {
    Given { frames: frames.into_iter().collect(), alive }
}

#[tokio::test(start_paused = true)]
async fn frames_are_written_in_order_until_the_source_ends() {
    let frame = |text| Next::Frame(Bytes::from_static(text));
    let source = given([frame(b"a"), Next::Nothing, frame(b"b"), Next::End], true);
    let written: Vec<_> = write(source, Duration::from_secs(1)).collect().await;
    assert_eq!(written, ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_shows_signs_of_life_in_time() {
    let began = Instant::now();
    let mut stream = std::pin::pin!(write(given([], true), Duration::from_secs(15)));
    for sign in 1..=2 {
        assert_eq!(stream.next().await.unwrap(), sign_of_life());
        assert_eq!(began.elapsed(), Duration::from_secs(15 * sign));
    }
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_that_is_not_alive_ends() {
    let mut stream = std::pin::pin!(write(given([], false), Duration::from_secs(15)));
    assert_eq!(stream.next().await, None);
}
