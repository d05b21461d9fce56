//! Bodies of requests in chunks.

use std::io;

use tokio::{io::AsyncReadExt, net::TcpStream};

use super::refuse_floods;
use proofmark_record::wire::MOST_FRAME;

/// The whole body, of which `raw` was read before.
pub(super) async fn read(stream: &mut TcpStream, mut raw: Vec<u8>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let end = loop {
            if let Some(end) = raw[at..].windows(2).position(|pair| pair == b"\r\n") {
                break at + end;
            }
            more(stream, &mut raw).await?;
        };
        let digits = String::from_utf8_lossy(&raw[at..end]).into_owned();
        let digits = digits.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(digits, 16)
            .map_err(|_| io::Error::other(format!("no chunk size: {digits:?}")))?;
        if size == 0 {
            return Ok(body);
        }
        let next = size
            .checked_add(end + 4)
            .filter(|next| *next <= MOST_FRAME)
            .ok_or_else(|| io::Error::other("the body is too large"))?;
        while raw.len() < next {
            more(stream, &mut raw).await?;
        }
        body.extend_from_slice(&raw[end + 2..end + 2 + size]);
        at = next;
    }
}

async fn more(stream: &mut TcpStream, raw: &mut Vec<u8>) -> io::Result<()> {
    refuse_floods(raw)?;
    if stream.read_buf(raw).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}
