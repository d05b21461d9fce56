//! Tools to make tasks of.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use proofmark_core::types::{CallToolResult, ElicitFormParams, ElicitParams, TaskSupport};
use tokio::sync::Notify;

use crate::server::{
    Context, Error, NoArguments, Server, ServerBuilder, TaskOptions, ToolBuilder, tool,
};

/// How many handlers are at work, and what they wait for.
#[derive(Clone, Default)]
pub(super) struct Barrier {
    pub(super) open: Arc<Notify>,
    pub(super) inside: Arc<AtomicUsize>,
    /// How many ever began.
    pub(super) entered: Arc<AtomicUsize>,
}

impl Barrier {
    pub(super) fn inside(&self) -> usize {
        self.inside.load(Ordering::SeqCst)
    }

    /// Waits to be let through. A handler that is dropped while waiting is not inside any more.
    async fn pass(self) {
        struct Leave(Arc<AtomicUsize>);
        impl Drop for Leave {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.entered.fetch_add(1, Ordering::SeqCst);
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _leave = Leave(self.inside);
        self.open.notified().await;
    }

    /// Waits until no handler is inside any more.
    pub(super) async fn left(&self) {
        for _ in 0..100 {
            if self.inside() == 0 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        panic!("handlers are still at work");
    }
}

/// A tool that may be a task of either kind.
pub(super) fn either(name: &str) -> ToolBuilder {
    tool(name).task_support(TaskSupport::Optional).as_task(TaskSupport::Optional)
}

pub(super) fn server(barrier: &Barrier) -> Server {
    builder(barrier).build().unwrap()
}

pub(super) fn server_with(barrier: &Barrier, options: TaskOptions) -> Server {
    builder(barrier).tasks(options).build().unwrap()
}

pub(super) fn builder(barrier: &Barrier) -> ServerBuilder {
    let (wait, report) = (barrier.clone(), barrier.clone());
    Server::builder("test", "1")
        .tool("plain", "Is never a task.", async |_: Context, NoArguments {}| "plain")
        .add_tool(
            tool("must")
                .task_support(TaskSupport::Required)
                .as_task(TaskSupport::Required)
                .handler(async |_: Context, NoArguments {}| "must"),
        )
        .add_tool(either("quick").handler(async |_: Context, NoArguments {}| "quick"))
        .add_tool(either("wait").handler(move |_: Context, NoArguments {}| {
            let barrier = wait.clone();
            async move {
                barrier.pass().await;
                "waited"
            }
        }))
        .add_tool(either("report").handler(move |context: Context, NoArguments {}| {
            let barrier = report.clone();
            async move {
                context.progress(1.0, Some(2.0), None);
                barrier.pass().await;
                context.progress(2.0, Some(2.0), None);
                "reported"
            }
        }))
        .add_tool(
            either("err").handler(async |_: Context, NoArguments {}| CallToolResult::error("no")),
        )
        .add_tool(either("refuse").handler(async |_: Context, NoArguments {}| {
            Err::<String, _>(Error::invalid_params("not like this"))
        }))
        .add_tool(
            either("panic")
                .handler(async |_: Context, NoArguments {}| -> String { panic!("on purpose") }),
        )
        .add_tool(either("large").handler(async |_: Context, NoArguments {}| "x".repeat(10_000)))
        .add_tool(either("ask").handler(async |context: Context, NoArguments {}| {
            let answer = context.elicit(question("Who?")).await?;
            Ok::<_, Error>(format!("{:?}", answer.action))
        }))
        .add_tool(either("ask_two").handler(async |context: Context, NoArguments {}| {
            let both = tokio::join!(context.elicit(question("A?")), context.elicit(question("B?")));
            Ok::<_, Error>(format!("{:?} {:?}", both.0?.action, both.1?.action))
        }))
        .add_tool(either("give_up").handler(async |context: Context, NoArguments {}| {
            let patience = std::time::Duration::from_secs(5);
            let asked = tokio::time::timeout(patience, context.elicit(question("Who?"))).await;
            std::future::pending::<()>().await;
            format!("{}", asked.is_ok())
        }))
}

fn question(message: &str) -> ElicitParams {
    ElicitParams::Form(ElicitFormParams { message: message.into(), ..Default::default() })
}
