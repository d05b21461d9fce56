//! The conversations of the modern era that follow the tour.

use super::{Found, Held, Hold, Places, Progress};
use proofmark_converse::peer::Peer;
use proofmark_converse::scenario::{
    Asking, Callable, Entry, Manner, Obstinacy, ProbeSettings, Scenario, answers, authorization,
    bare, cancelling, claims, extension_tasks, garbage, leaving, listening, mirroring, older,
    rounds,
};
use proofmark_record::transport::Transport;

/// Side by side, since most of them wait for what must not come.
pub(super) async fn others(
    peer: &Peer,
    settings: &ProbeSettings,
    found: Found,
    progress: &Progress,
    entry: Option<&mut Entry>,
) -> Vec<Held> {
    let places = &Places::new(peer, progress);
    let hold = |scenario, manner| Hold { places, peer, settings, scenario, manner };
    let over_http = settings.transport == Transport::Http;
    let odd = hold(Scenario::Garbage, Manner::Able).converse(async |probe| garbage(probe).await);
    let claiming = hold(Scenario::Claims, Manner::Able)
        .converse(async |probe| claims(probe, found.plain.as_ref()).await);
    let older = hold(Scenario::Older, Manner::Able).converse(async |probe| older(probe).await);
    let bare = hold(Scenario::Bare, Manner::Bare)
        .converse(async |probe| bare(probe, &found.asking, &found.logging).await);
    let cancelled = async {
        // Over HTTP it is the connection that is closed, and then nothing can be heard any more.
        let slow = found.slow.clone().filter(|_| !over_http)?;
        let hold = hold(Scenario::Cancelling, Manner::Able);
        hold.converse(async |probe| cancelling(probe, slow).await).await
    };
    let in_rounds = async {
        found.asking.first()?;
        let hold = hold(Scenario::Rounds, Manner::Able);
        hold.converse(async |probe| rounds(probe, &found.asking).await).await
    };
    let answering = async {
        found.asking.first()?;
        let (asking, eliciting, rooting) = (&found.asking, &found.eliciting, &found.rooting);
        let hold = hold(Scenario::Answers, Manner::Plain(Obstinacy::Dismissing));
        hold.converse(async |probe| answers(probe, Asking { asking, eliciting, rooting }).await)
            .await
    };
    let listening = hold(Scenario::Listening, Manner::Able)
        .converse(async |probe| listening(probe, &found.announcing).await);
    // By itself, because it listens for a change that others announce, too.
    let left = async {
        let lasting = found.lasting.clone().filter(|_| over_http)?;
        let hold = hold(Scenario::Leaving, Manner::Able);
        hold.converse(async |probe| leaving(probe, lasting).await).await
    };
    let mirrored = async {
        over_http.then_some(())?;
        let (plain, marked) = (found.plain.as_ref(), found.marked.as_ref());
        let callable = Callable { plain, marked, counted: found.counted.as_ref() };
        let hold = hold(Scenario::Mirroring, Manner::Able);
        hold.converse(async |probe| mirroring(probe, callable).await).await
    };
    let authorized = async {
        over_http.then_some(())?;
        let hold = hold(Scenario::Authorization, Manner::Able);
        hold.converse(async |probe| authorization(probe, entry).await).await
    };
    let tasked = hold(Scenario::Tasks, Manner::Tasking)
        .converse(async |probe| extension_tasks(probe, &found.candidates).await);
    let (some, more) = tokio::join!(
        async { tokio::join!(odd, claiming, bare, cancelled, in_rounds, tasked) },
        async { tokio::join!(listening, mirrored, authorized, older, answering) }
    );
    let left = left.await;
    let some: [Option<Held>; 6] = some.into();
    let more: [Option<Held>; 5] = more.into();
    some.into_iter().chain(more).chain([left]).flatten().collect()
}
