//! Transports in memory, some of which misbehave.

use std::{
    future::pending,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use proofmark_sdk::{
    client::ClientTransport,
    core::jsonrpc::Limits,
    transport::{MessageReceiver, MessageSender},
};
use serde_json::Value;
use tokio::sync::mpsc;

/// A transport in memory that knows no limits.
pub(super) struct Channels(pub(super) ChannelSender, pub(super) ChannelReceiver);

pub(super) struct ChannelSender(mpsc::Sender<Bytes>);
pub(super) struct ChannelReceiver(mpsc::Receiver<Bytes>);

pub(super) struct Peer {
    pub(super) sender: mpsc::Sender<Bytes>,
    receiver: mpsc::Receiver<Bytes>,
}

impl Channels {
    pub(super) fn new(room: usize) -> (Self, Peer) {
        let (to_server, receiver) = mpsc::channel(room);
        let (sender, from_server) = mpsc::channel(room);
        (Self(ChannelSender(to_server), ChannelReceiver(from_server)), Peer { sender, receiver })
    }
}

impl Peer {
    pub(super) async fn next(&mut self) -> Option<Value> {
        Some(serde_json::from_slice(&self.receiver.recv().await?).unwrap())
    }

    pub(super) async fn say(&self, message: &Value) {
        self.sender.send(message.to_string().into()).await.unwrap();
    }
}

impl ClientTransport for Channels {
    type Sender = ChannelSender;
    type Receiver = ChannelReceiver;

    async fn connect(self, _: Limits) -> io::Result<(ChannelSender, ChannelReceiver)> {
        Ok((self.0, self.1))
    }
}

impl MessageSender for ChannelSender {
    async fn send(&mut self, message: Bytes) -> io::Result<()> {
        self.0.send(message).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl MessageReceiver for ChannelReceiver {
    async fn receive(&mut self) -> io::Result<Option<Bytes>> {
        Ok(self.0.recv().await)
    }
}

/// As [`Channels`], and takes its time to send.
pub(super) struct Slow(pub(super) SlowSender, pub(super) ChannelReceiver);

pub(super) struct SlowSender(pub(super) ChannelSender, pub(super) Arc<Mutex<Vec<&'static str>>>);

impl ClientTransport for Slow {
    type Sender = SlowSender;
    type Receiver = ChannelReceiver;

    async fn connect(self, _: Limits) -> io::Result<(SlowSender, ChannelReceiver)> {
        Ok((self.0, self.1))
    }
}

impl MessageSender for SlowSender {
    async fn send(&mut self, message: Bytes) -> io::Result<()> {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.0.send(message).await?;
        self.1.lock().unwrap().push("sent");
        Ok(())
    }

    async fn close(&mut self) -> io::Result<()> {
        self.1.lock().unwrap().push("closed");
        Ok(())
    }
}

pub(super) enum Unreachable {
    Hangs,
    Refuses,
}

impl ClientTransport for Unreachable {
    type Sender = ChannelSender;
    type Receiver = ChannelReceiver;

    async fn connect(self, _: Limits) -> io::Result<(ChannelSender, ChannelReceiver)> {
        match self {
            Self::Hangs => pending().await,
            Self::Refuses => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

/// Has always more to say, and nothing.
pub(super) struct Endless;

impl ClientTransport for Endless {
    type Sender = Self;
    type Receiver = Self;

    async fn connect(self, _: Limits) -> io::Result<(Self, Self)> {
        Ok((Self, Self))
    }
}

impl MessageSender for Endless {
    async fn send(&mut self, _: Bytes) -> io::Result<()> {
        Ok(())
    }
}

impl MessageReceiver for Endless {
    async fn receive(&mut self) -> io::Result<Option<Bytes>> {
        Ok(Some(Bytes::from_static(b" ")))
    }
}
