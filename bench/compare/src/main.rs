//! What a request costs here and elsewhere: the same messages to several servers, in interleaved rounds.
//!
//! What counts is the CPU time of the server for each request, against that of a floor that does the transport and the JSON and no MCP.

mod footprint;
mod http;
mod lines;
mod message;
mod options;
mod process;
mod report;
mod servers;
mod tally;
mod work;

use std::error::Error;

use tokio::runtime;

use self::{footprint::Footprint, options::Options, report::Report, servers::Peer, work::WORKS};

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
        for work in WORKS {
            for at in 0..peers.len() {
                // Nobody is always first, and nobody always follows the same one.
                let peer = &peers[(at + round) % peers.len()];
                let Some(command) = peer.command(work.link) else { continue };
                match runtime.block_on(work.run(&command, options.seconds)) {
                    Ok(cost) => report.add(work.name, peer.name, round, cost),
                    Err(error) => eprintln!("{}, {}: {error}", peer.name, work.name),
                }
            }
        }
        eprintln!("round {} of {}", round + 1, options.rounds);
    }
    for peer in &peers {
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
