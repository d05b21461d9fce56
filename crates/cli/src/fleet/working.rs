//! `proofmark fleet worker`.

use std::time::Duration;

use proofmark_fleet::{
    run::{Event, Until, work},
    store::Store,
};

use super::{progress, running};
use crate::{
    arguments::{Fleet, FleetWorker},
    check, exit,
    platform::Ending,
    say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetWorker) -> anyhow::Result<u8> {
    let opened = super::load(arguments)
        .and_then(|fleet| Ok((fleet, super::opened(Store::open(&arguments.database()))?)));
    let (fleet, mut store) = match opened {
        Ok(opened) => opened,
        Err(code) => return Ok(code),
    };
    store.lease = Duration::from_secs(options.lease.into());
    let told = |event: Event<'_>| {
        if let Event::Done(job, outcome, _) = event {
            say::on_stderr(progress::line(job, outcome));
        }
    };
    let settings = running::settings(options.jobs, &told)?;
    say::on_stderr(format_args!("worker {} at {}", settings.worker, store.place()));
    let until = if options.until_idle { Until::Idle } else { Until::Told };
    let runtime = check::event_loop()?;
    let done = runtime.block_on(check::unless_told(work(&mut store, &fleet, until, &settings)));
    match done {
        Ok(done) => {
            done?;
            Ok(exit::SUCCESS)
        }
        // To be told is how it ends. What it had taken is taken by others.
        Err(error) if error.downcast_ref::<Ending>().is_some() => Ok(exit::SUCCESS),
        Err(error) => Err(error),
    }
}
