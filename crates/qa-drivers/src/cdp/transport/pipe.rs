//! The protocol over two pipes: JSON messages, each ended by a NUL byte.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::{Connection, EventSink};

/// Speaks the protocol over a pair of pipes until one of them ends.
pub(crate) fn over_pipe(
    from_browser: impl AsyncRead + Send + Unpin + 'static,
    mut to_browser: impl AsyncWrite + Send + Unpin + 'static,
    mut sink: impl EventSink,
) -> Connection {
    let (connection, mut to_write) = Connection::new();
    tokio::spawn(async move {
        while let Some(text) = to_write.recv().await {
            let mut bytes = text.into_bytes();
            bytes.push(0);
            if to_browser.write_all(&bytes).await.is_err() || to_browser.flush().await.is_err() {
                break;
            }
        }
    });
    let reading = connection.clone();
    tokio::spawn(async move {
        let mut reader = BufReader::with_capacity(1 << 16, from_browser);
        let mut message = Vec::new();
        let reason = loop {
            message.clear();
            match reader.read_until(0, &mut message).await {
                Ok(0) => break "the browser closed the pipe".to_owned(),
                Ok(_) => {
                    if message.last() == Some(&0) {
                        message.pop();
                    }
                    reading.receive(&message, &mut sink);
                }
                Err(error) => break format!("the pipe broke: {error}"),
            }
            // One huge message must not hold its memory for the rest of the run.
            if message.capacity() > 1 << 22 {
                message = Vec::new();
            }
        };
        reading.close(&reason, &mut sink);
    });
    connection
}
