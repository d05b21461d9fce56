//! What every server of the simulation does.

use std::{sync::Arc, time::Duration};

use proofmark_sdk::{
    core::types::{ElicitFormParams, ElicitParams, ResourceContents},
    server::{Context, Error, Server, resource_template},
    transport::http::{HttpSettings, McpService, SharedStores},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

use crate::{
    dice::Dice,
    faulty::{FaultyBus, FaultyEvents, FaultySessions, Way},
    world::World,
};

/// One server.
pub(crate) struct Instance {
    pub(crate) way: Arc<Way>,
    pub(crate) service: McpService,
    pub(crate) server: Server,
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

impl Instance {
    pub(crate) fn begin(world: &Arc<World>, dice: Dice) -> Self {
        let way = Arc::new(Way::new(world, dice));
        let stores = SharedStores {
            sessions: Arc::new(FaultySessions(Arc::clone(&way), Arc::clone(&world.sessions))),
            events: Arc::new(FaultyEvents(Arc::clone(&way), Arc::clone(&world.events))),
            bus: Arc::new(FaultyBus(Arc::clone(&way), world.bus.join())),
        };
        let server = server();
        let service = McpService::new(server.clone(), HttpSettings::default().shared(stores));
        Self { way, service, server }
    }
}

/// A service that has nothing to do.
pub(crate) fn idle() -> McpService {
    McpService::new(server(), HttpSettings::default())
}

fn server() -> Server {
    Server::builder("simulated", "1")
        .tool("echo", "", async |_: Context, Named { name }: Named| name)
        .tool("steps", "", steps)
        .tool("asks", "", asks)
        .tool("waits", "", waits)
        .add_template(
            resource_template("test://{name}", "any").handler(|_, uri, _| async move {
                Ok(vec![ResourceContents::text(uri, None, "any")])
            }),
        )
        .build()
        .unwrap()
}

async fn steps(context: Context, Named { name }: Named) -> String {
    for step in 1..=STEPS {
        context.progress(f64::from(step), None, None);
        sleep(Duration::from_millis(300)).await;
    }
    name
}

async fn asks(context: Context, Named { name }: Named) -> Result<String, Error> {
    let form = ElicitFormParams { message: name, ..ElicitFormParams::default() };
    let answer = context.elicit(ElicitParams::Form(form)).await?;
    Ok(serde_json::to_string(&answer).unwrap_or_default())
}

async fn waits(context: Context, _: Named) -> &'static str {
    context.progress(1.0, None, None);
    std::future::pending::<()>().await;
    "never"
}

/// How often `steps` reports.
pub(crate) const STEPS: u32 = 4;
