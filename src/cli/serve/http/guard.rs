//! Recognises clients, checks who sends a request, and sets the headers of every response.

use super::cookies::{cookie, set_cookie};
use crate::cli::serve::explorer::Explorer;
use crate::cli::serve::jobs::Visitor;
use crate::cli::serve::problem::Problem;
use crate::cli::serve::{api, pages};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// Pages load nothing from other sites and run only their own script.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// Returns the policy of pages that these sites may show in a frame.
pub fn embedding(origins: &[String]) -> Option<HeaderValue> {
    let policy = POLICY.replace(
        "ancestors 'none'",
        &format!("ancestors {}", origins.join(" ")),
    );
    let policy = HeaderValue::from_str(&policy).ok();
    policy.filter(|_| !origins.is_empty())
}

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=()",
    ),
];

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Header that hides answers from pages of other sites.
const FOR_OWN: [(HeaderName, &str); 1] = [(RESOURCE_POLICY, "same-origin")];
/// Headers that let pages of other sites use the API.
const FOR_OTHERS: [(HeaderName, &str); 4] = [
    (RESOURCE_POLICY, "cross-origin"),
    (header::VARY, "origin"),
    (
        header::ACCESS_CONTROL_ALLOW_METHODS,
        "GET, HEAD, POST, OPTIONS",
    ),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type"),
];

/// Checks each request before it is handled, and completes each response.
pub async fn guard(
    State(explorer): State<Arc<Explorer>>,
    mut request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path().to_owned();
    let is_api = path.starts_with("/api");
    let cookie = recognise(&mut request);
    let allowed_site = is_api.then(|| allowed_site(&explorer, request.headers()));
    let allowed_site = allowed_site.flatten();
    let allows_others = allowed_site.is_some();
    let is_embedded = path.starts_with("/embed/");
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let is_preflight = allows_others && request.method() == Method::OPTIONS;
    let mut response = match check(&explorer, &request, allows_others) {
        Err(problem) => problem.into_response(),
        Ok(()) if is_preflight => StatusCode::NO_CONTENT.into_response(),
        Ok(()) => next.run(request).await,
    };
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        let allowed = response.headers_mut().remove(header::ALLOW);
        response = if is_api {
            api::problem(&problem)
        } else if is_embedded {
            pages::embedded_problem(&problem)
        } else {
            let game = path.split('/').nth(2);
            let entry = game.and_then(|game| explorer.registry.find(game));
            pages::problem(&problem, entry.as_deref())
        };
        let allowed = allowed.map(|methods| (header::ALLOW, methods));
        response.headers_mut().extend(allowed);
        let location = problem.location.map(HeaderValue::try_from);
        let location = location.and_then(Result::ok);
        let location = location.map(|address| (header::LOCATION, address));
        response.headers_mut().extend(location);
    }
    if let Some(known) = known {
        leave_out_known(&mut response, &known);
    }
    let headers = response.headers_mut();
    headers.extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    let more = match allows_others {
        true => &FOR_OTHERS[..],
        false => &FOR_OWN,
    };
    for (name, value) in HEADERS.iter().chain(more) {
        let header = headers.entry(name);
        header.or_insert(HeaderValue::from_static(value));
    }
    let allowed = allowed_site.map(|site| (header::ACCESS_CONTROL_ALLOW_ORIGIN, site));
    headers.extend(allowed);
    if let Some(policy) = explorer.embedding.as_ref().filter(|_| is_embedded) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        headers.remove(header::X_FRAME_OPTIONS);
    }
    let cached = headers.entry(header::CACHE_CONTROL);
    cached.or_insert(HeaderValue::from_static("no-cache"));
    response
}

/// Leaves out the contents of a response whose tag is among those that the client knows.
fn leave_out_known(response: &mut Response, known: &HeaderValue) {
    let tag = response
        .headers()
        .get(header::ETAG)
        .map(HeaderValue::to_str);
    let (Ok(known), Some(Ok(tag))) = (known.to_str(), tag) else {
        return;
    };
    if !known.split(',').any(|one| ["*", tag].contains(&one.trim())) {
        return;
    }
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    *response.body_mut() = Body::empty();
    response.headers_mut().remove(header::CONTENT_TYPE);
    response.headers_mut().remove(header::CONTENT_LENGTH);
}

/// Name of the cookie by which the server recognises a client until its browser is closed.
///
/// Its value is a random number. A client's next page ends the searches for its last one, which an
/// address doesn't tell: a whole class may share one.
pub const COOKIE: &str = "zermelo";

/// Notes in a request who sent it; returns a new client's cookie.
///
/// Programs that use the API need none. Files have no questions.
fn recognise(request: &mut Request) -> Option<HeaderValue> {
    let known = cookie(request.headers(), COOKIE);
    let known = known.and_then(|number| u64::from_str_radix(number, 16).ok());
    let path = request.uri().path();
    let needs_none = ["/api", "/assets"].iter().any(|of| path.starts_with(of));
    let new = (known.is_none() && !needs_none).then(|| RandomState::new().build_hasher().finish());
    let visitor = Visitor {
        client: known.or(new),
        page: crc32fast::hash(request.uri().to_string().as_bytes()),
    };
    request.extensions_mut().insert(visitor);
    HeaderValue::try_from(set_cookie(COOKIE, &format!("{:x}", new?))).ok()
}

/// Returns the site, or `*`, whose pages may use the API, if the request comes from there.
fn allowed_site(explorer: &Explorer, headers: &HeaderMap) -> Option<HeaderValue> {
    let allowed = &explorer.allow_origin;
    if allowed.iter().any(|site| site == "*") {
        return Some(HeaderValue::from_static("*"));
    }
    // A browser that shows an image of another site sends the page's address, but no origin.
    let origin = match headers.get(header::ORIGIN) {
        Some(origin) => origin.to_str().ok()?.to_owned(),
        None => site_of(headers.get(header::REFERER)?.to_str().ok()?)?,
    };
    let is_it = |site: &&String| origin.eq_ignore_ascii_case(site);
    HeaderValue::from_str(allowed.iter().find(is_it)?).ok()
}

/// Returns the site of an address, such as `https://example.org`.
fn site_of(address: &str) -> Option<String> {
    let address: Uri = address.parse().ok()?;
    Some(format!(
        "{}://{}",
        address.scheme_str()?,
        address.authority()?
    ))
}

fn check(explorer: &Explorer, request: &Request, allows_others: bool) -> Result<(), Problem> {
    let host = host_of(request)?;
    let name = host.host();
    if !explorer.names.includes(name) {
        return Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            format!(
                "\"{name}\" is not a name of this server\ntip: if it should be, start it with \
                 --allow-host {name}"
            ),
        ));
    }
    if !allows_others && is_from_elsewhere(request.headers(), &host) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "pages of other sites may not use this server\ntip: --allow-origin lets them use the API",
        ));
    }
    Ok(())
}

/// Returns the server's name in the request.
fn host_of(request: &Request) -> Result<Authority, Problem> {
    let mut given = request.headers().get_all(header::HOST).iter();
    let host = match (given.next(), given.next()) {
        (Some(host), None) => host.as_bytes(),
        _ => return Err(Problem::bad_request("a request needs one Host header")),
    };
    let host = Authority::try_from(host)
        .map_err(|_| Problem::bad_request("the Host header is not the name of a server"))?;
    match request.uri().authority() {
        // The name in the address takes precedence over the header.
        Some(named) if *named != host => Err(Problem::bad_request(
            "the address and the Host header name different servers",
        )),
        _ => Ok(host),
    }
}

/// Returns whether a page of another site sent the request, not a person using a link.
fn is_from_elsewhere(headers: &HeaderMap, host: &Authority) -> bool {
    let word = |name: &str| headers.get(name).map(HeaderValue::as_bytes);
    let is_elsewhere = matches!(word("sec-fetch-site"), Some(b"cross-site" | b"same-site"));
    if is_elsewhere && word("sec-fetch-mode") != Some(b"navigate") {
        return true;
    }
    let Some(origin) = word("origin") else {
        return false;
    };
    !origin.eq_ignore_ascii_case(format!("http://{host}").as_bytes())
}
