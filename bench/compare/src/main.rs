//! What a request costs here and elsewhere: the same messages to several servers, in interleaved rounds.
//!
//! What counts is the CPU time of the server for each request, against that of a floor that does the transport and the JSON and no MCP.
//! Then clients take turns in calling the same server; what counts is their own CPU time, against that of rmcp.

mod clients;
mod footprint;
mod http;
mod lines;
mod message;
mod options;
mod placement;
mod process;
mod report;
mod servers;
mod tally;
mod work;

use std::error::Error;

use tokio::runtime;

use self::{
    clients::CALLS, footprint::Footprint, options::Options, report::Report, servers::Peer,
    work::WORKS,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let options = Options::parse(std::env::args().skip(1))?;
    let peers: Vec<Peer> = servers::all()
        .into_iter()
        .filter(|peer| options.wants(peer))
        .filter(|peer| match servers::build(peer) {
            Ok(()) => true,
            Err(error) => {
                eprintln!("{} is left out: {error}", peer.name);
                false
            }
        })
        .collect();
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    for round in 0..options.rounds {
        for work in WORKS.iter().filter(|work| options.wants_row(work.name)) {
            for peer in in_turn(&peers, round) {
                let Some(command) = peer.command(work.link) else { continue };
                match runtime.block_on(work.run(&command, options.seconds)) {
                    Ok(cost) => report.add(work.name, peer.name, round, cost),
                    Err(error) => eprintln!("{}, {}: {error}", peer.name, work.name),
                }
            }
        }
        for calls in CALLS.iter().filter(|calls| options.wants_row(calls.name)) {
            let server = peers.iter().find(|peer| peer.name == calls.server);
            let Some(server) = server.and_then(|peer| peer.command(calls.link)) else { continue };
            for peer in in_turn(&peers, round) {
                let Some(client) = peer.client(calls.link) else { continue };
                match runtime.block_on(calls.run(&client, &server, options.seconds)) {
                    Ok(cost) => report.add(calls.name, peer.name, round, cost),
                    Err(error) => eprintln!("{}, {}: {error}", peer.name, calls.name),
                }
            }
        }
        eprintln!("round {} of {}", round + 1, options.rounds);
    }
    for peer in peers.iter().filter(|_| options.wants_footprints()) {
        match runtime.block_on(Footprint::of(peer)) {
            Ok(footprint) => report.add_footprint(peer.name, footprint),
            Err(error) => eprintln!("{}, footprint: {error}", peer.name),
        }
    }
    print!("{}", report.tables());
    let over = report.over();
    if options.check && !over.is_empty() {
        return Err(over.join("\n").into());
    }
    Ok(())
}

/// Nobody is always first.
fn in_turn(peers: &[Peer], round: usize) -> impl Iterator<Item = &Peer> {
    (0..peers.len()).map(move |at| &peers[(at + round) % peers.len()])
}
