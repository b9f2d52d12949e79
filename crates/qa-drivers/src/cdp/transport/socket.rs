//! The protocol over a WebSocket.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::{CallError, Connection, EventSink};

/// The largest message that is read; a page can make a console message of 20 MB.
const MAX_MESSAGE_BYTES: usize = 512 << 20;

/// Connects to a browser that listens on a WebSocket, and speaks the protocol until it ends.
pub(crate) async fn over_socket(
    url: &str,
    mut sink: impl EventSink,
    deadline: Duration,
) -> Result<Connection, CallError> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let connecting = tokio_tungstenite::connect_async_with_config(url, Some(config), true);
    let (stream, _response) = tokio::time::timeout(deadline, connecting)
        .await
        .map_err(|_| CallError::Deadline(deadline))?
        .map_err(|error| CallError::Closed(error.to_string()))?;
    let (mut writer, mut reader) = stream.split();
    let (connection, mut to_write) = Connection::new();
    tokio::spawn(async move {
        while let Some(text) = to_write.recv().await {
            if writer.send(Message::text(text)).await.is_err() {
                break;
            }
        }
        let _ = writer.close().await;
    });
    let reading = connection.clone();
    tokio::spawn(async move {
        let reason = loop {
            match reader.next().await {
                Some(Ok(Message::Text(text))) => reading.receive(text.as_bytes(), &mut sink),
                Some(Ok(Message::Binary(bytes))) => reading.receive(&bytes, &mut sink),
                Some(Ok(Message::Close(_))) | None => break "the browser closed".to_owned(),
                Some(Ok(_)) => {}
                Some(Err(error)) => break error.to_string(),
            }
        };
        reading.close(&reason, &mut sink);
    });
    Ok(connection)
}
