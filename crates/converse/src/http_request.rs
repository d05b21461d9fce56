//! An HTTP request of a client to a hosted server.

use proofmark_record::event::{Headers, header};

/// One request of a client.
#[derive(Clone, Debug, Default)]
pub struct HttpRequest {
    pub method: String,
    /// With its query.
    pub path: String,
    pub headers: Headers,
    pub body: Vec<u8>,
}

impl HttpRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    pub fn remove(&mut self, name: &str) {
        self.headers.retain(|(known, _)| known != name);
    }

    pub fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.headers.push((name.to_owned(), value.to_owned()));
    }
}
