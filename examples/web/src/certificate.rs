//! A certificate that nobody vouches for.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use crate::server::ServeError;

/// Speaks TLS as `127.0.0.1`, with a certificate that was signed a moment ago by itself.
pub(crate) fn self_signed() -> Result<TlsAcceptor, ServeError> {
    let refuse = |reason: String| ServeError::Certificate { reason };
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()])
        .map_err(|error| refuse(error.to_string()))?;
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(vec![made.cert.der().clone()], key)
        })
        .map_err(|error| refuse(error.to_string()))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
