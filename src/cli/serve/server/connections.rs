//! Accepts connections, within limits on their number and duration.

use crate::cli::serve::explorer::{Explorer, Limits};
use crate::cli::serve::router;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};

/// Maximum size of a request's line and headers, in bytes.
const HEAD_BYTES: usize = 64 << 10;
const MOST_HEADERS: usize = 64;
/// Pause before the next attempt when the system refuses a connection.
const RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Answers requests forever.
pub async fn answer(listener: TcpListener, explorer: Arc<Explorer>) {
    let limits = explorer.limits;
    // Answers to a batch are sent one by one.
    let is_compressed =
        DefaultPredicate::new().and(NotForContentType::const_new("application/x-ndjson"));
    let compression = CompressionLayer::new().compress_when(is_compressed);
    let router = router(explorer).layer(compression);
    let permits = Arc::new(Semaphore::new(limits.connections));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_PAUSE).await;
            continue;
        };
        let (router, mut limits) = (router.clone(), limits);
        if permits.available_permits() < limits.connections / 2 {
            limits.head = limits.crowded;
        }
        tokio::spawn(async move {
            serve_connection(stream, router, limits).await;
            drop(permit);
        });
    }
}

async fn serve_connection(stream: TcpStream, router: Router, limits: Limits) {
    // Answers are written in one piece, so waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(HEAD_BYTES)
        .max_headers(MOST_HEADERS)
        .serve_connection(
            TokioIo::new(Box::pin(stream)),
            TowerToHyperService::new(router),
        );
    // An error here means that the connection is broken, so there is nobody to report it to.
    let _ = connection.await;
}
