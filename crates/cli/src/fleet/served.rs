//! `proofmark fleet serve`: the fleet in a browser.

use anyhow::Context;
use proofmark_fleet::store::Place;
use proofmark_web::{Access, Settings, Site};

use crate::{
    arguments::{Fleet, FleetServe},
    check, exit,
    platform::Ending,
    say,
};

pub(super) fn run(arguments: &Fleet, options: &FleetServe) -> anyhow::Result<u8> {
    // Brings the history up to date, and complains before a page does.
    if let Err(code) = super::history(arguments) {
        return Ok(code);
    }
    let access = match check::sensible(access(options)) {
        Ok(access) => access,
        Err(code) => return Ok(code),
    };
    let settings = Settings {
        address: options.listen,
        names: options.name.clone(),
        access,
        assets: vec![proofmark_dashboard::ASSETS],
    };
    let database = match arguments.database() {
        Place::File(path) => Place::File(std::path::absolute(path)?),
        url @ Place::Url(_) => url,
    };
    let runtime = check::event_loop()?;
    let served = runtime.block_on(check::unless_told(async {
        let site = Site::bind(proofmark_dashboard::routes(database), settings).await?;
        say::on_stdout(format_args!("the fleet is at {}", site.link()));
        site.run().await;
        Ok::<_, proofmark_web::SiteError>(())
    }));
    match served {
        Ok(served) => {
            served?;
            Ok(exit::SUCCESS)
        }
        // To be interrupted is how it ends.
        Err(error) if error.downcast_ref::<Ending>().is_some() => Ok(exit::SUCCESS),
        Err(error) => Err(error),
    }
}

fn access(options: &FleetServe) -> anyhow::Result<Access> {
    let Some(name) = &options.token_env else { return Ok(Access::Link) };
    let token = std::env::var(name).with_context(|| format!("no token in {name}"))?;
    Ok(Access::Token(token))
}
