//! Bodies of requests in chunks.

use std::io;

use proofmark_record::wire::{
    MOST_FRAME,
    http::chunked::{Chunked, ChunkedDecoder},
};
use tokio::{io::AsyncReadExt, net::TcpStream};

/// The whole body, of which `raw` was read before.
pub(super) async fn read(stream: &mut TcpStream, mut raw: Vec<u8>) -> io::Result<Vec<u8>> {
    let (mut decoder, mut body) = (ChunkedDecoder::default(), Vec::new());
    loop {
        let mut input = raw.as_slice();
        while let Some(piece) = decoder.next(&mut input)? {
            match piece {
                Chunked::Data(data) if body.len() + data.len() > MOST_FRAME => {
                    return Err(io::Error::other("the body is too large"));
                }
                Chunked::Data(data) => body.extend_from_slice(data),
                Chunked::Complete | Chunked::End => return Ok(body),
            }
        }
        raw.clear();
        if stream.read_buf(&mut raw).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}
