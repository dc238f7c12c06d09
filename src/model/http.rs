//! A model behind an OpenAI-compatible server: one POST, one answer. `http` is spoken here, as far as it takes for a
//! server on this machine; `https` needs the feature of that name.

use super::{ANSWER, Question};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use url::Url;

/// Asks and gives the text of the answer.
pub(super) fn ask(
    endpoint: &str,
    model: &str,
    key: Option<&str>,
    question: &Question,
    until: Instant,
) -> Result<String, String> {
    let whole = endpoint.trim_end_matches('/');
    let whole =
        if whole.ends_with("/chat/completions") { whole.to_string() } else { format!("{whole}/chat/completions") };
    let url = Url::parse(&whole).map_err(|e| format!("model.endpoint is no address: {e}"))?;
    let body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": question.instructions},
            {"role": "user", "content": question.text},
        ],
        "temperature": 0,
        "stream": false,
    });
    let body = body.to_string();
    let key = key.map(str::to_string);
    let (send, receive) = mpsc::channel();
    // Looking up a name knows no time limit, so all of it has a thread of its own.
    std::thread::spawn(move || {
        // Nobody listens any more where the time is over.
        let _ = send.send(post(&url, key.as_deref(), &body, until));
    });
    let left = until.saturating_duration_since(Instant::now());
    let answer = receive.recv_timeout(left).map_err(|_| "the model took too long".to_string())??;
    content(&answer)
}

/// The text in an answer.
fn content(answer: &[u8]) -> Result<String, String> {
    let value: Value = serde_json::from_slice(answer).map_err(|e| format!("the answer is no JSON: {e}"))?;
    let text = value.pointer("/choices/0/message/content").and_then(Value::as_str);
    text.map(str::to_string).ok_or_else(|| "the answer has no message".to_string())
}

fn post(url: &Url, key: Option<&str>, body: &str, until: Instant) -> Result<Vec<u8>, String> {
    match url.scheme() {
        "http" => plain(url, key, body, until),
        "https" => secure(url, key, body, until),
        other => Err(format!("model.endpoint has the scheme {other}, not http or https")),
    }
}

#[cfg(feature = "https")]
fn secure(url: &Url, key: Option<&str>, body: &str, until: Instant) -> Result<Vec<u8>, String> {
    let config = ureq::Agent::config_builder()
        .tls_config(super::tls::config()?)
        .https_only(true)
        .max_redirects(0)
        .timeout_global(Some(until.saturating_duration_since(Instant::now())))
        .build();
    let mut request = ureq::Agent::new_with_config(config).post(url.as_str()).content_type("application/json");
    if let Some(key) = key {
        request = request.header("Authorization", format!("Bearer {key}"));
    }
    let response = request.send(body).map_err(|e| e.to_string())?;
    response.into_body().into_with_config().limit(ANSWER).read_to_vec().map_err(|e| e.to_string())
}

#[cfg(not(feature = "https"))]
fn secure(_: &Url, _: Option<&str>, _: &str, _: Instant) -> Result<Vec<u8>, String> {
    Err("this build speaks no https (feature `https`): name an http server on this machine, or a command".to_string())
}

fn plain(url: &Url, key: Option<&str>, body: &str, until: Instant) -> Result<Vec<u8>, String> {
    if key.is_some_and(|k| k.bytes().any(|b| b.is_ascii_control())) {
        return Err("the key has control characters in it".to_string());
    }
    let left = || Some(until.saturating_duration_since(Instant::now())).filter(|l| *l > Duration::ZERO);
    let late = || "the model took too long".to_string();
    let addresses = url.socket_addrs(|| None).map_err(|e| format!("the server is not known: {e}"))?;
    let mut failure = "the server has no address".to_string();
    let mut connected = None;
    for address in addresses {
        match TcpStream::connect_timeout(&address, left().ok_or_else(late)?) {
            Ok(stream) => {
                connected = Some(stream);
                break;
            }
            Err(e) => failure = format!("the server cannot be reached: {e}"),
        }
    }
    let mut stream = connected.ok_or(failure)?;
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|p| format!(":{p}")).unwrap_or_default();
    let query = url.query().map(|q| format!("?{q}")).unwrap_or_default();
    let key = key.map(|k| format!("Authorization: Bearer {k}\r\n")).unwrap_or_default();
    let head = format!(
        "POST {}{query} HTTP/1.1\r\nHost: {host}{port}\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
         {key}Content-Length: {}\r\nConnection: close\r\n\r\n",
        url.path(),
        body.len()
    );
    let io = |e: std::io::Error| format!("the server broke off: {e}");
    stream.set_write_timeout(left()).map_err(io)?;
    stream.write_all(head.as_bytes()).map_err(io)?;
    stream.write_all(body.as_bytes()).map_err(io)?;
    let mut bytes = Vec::new();
    let mut piece = [0u8; 8_192];
    loop {
        stream.set_read_timeout(Some(left().ok_or_else(late)?)).map_err(io)?;
        let n = stream.read(&mut piece).map_err(io)?;
        bytes.extend_from_slice(piece.get(..n).unwrap_or_default());
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > ANSWER {
            return Err(format!("the answer has more than {ANSWER} bytes"));
        }
        match parse(&bytes, n == 0)? {
            Some(body) => return Ok(body),
            None if n == 0 => return Err("the answer is cut short".to_string()),
            None => {}
        }
    }
}

/// The body of a response; `None` where more has to come. `all`: nothing comes any more.
fn parse(bytes: &[u8], all: bool) -> Result<Option<Vec<u8>>, String> {
    let Some(end) = memchr::memmem::find(bytes, b"\r\n\r\n") else { return Ok(None) };
    let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
    let body = bytes.get(end.saturating_add(4)..).unwrap_or_default();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    let code = status.strip_prefix("HTTP/1.").and_then(|s| s.split(' ').nth(1)).unwrap_or_default();
    if code != "200" {
        return Err(format!("the server answers {status:?}"));
    }
    let header = |name: &str| {
        let found = head.split("\r\n").skip(1).filter_map(|l| l.split_once(':'));
        found.into_iter().find(|(n, _)| n.trim().eq_ignore_ascii_case(name)).map(|(_, v)| v.trim().to_string())
    };
    if header("transfer-encoding").is_some_and(|v| v.to_ascii_lowercase().contains("chunked")) {
        return dechunked(body);
    }
    match header("content-length") {
        Some(length) => {
            let length: usize = length.parse().map_err(|_| "the answer has no sensible length".to_string())?;
            Ok(body.get(..length).map(<[u8]>::to_vec))
        }
        None => Ok(all.then(|| body.to_vec())),
    }
}

/// The body that chunks make; `None` where more has to come.
fn dechunked(mut rest: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let mut out = Vec::new();
    loop {
        let Some(end) = memchr::memmem::find(rest, b"\r\n") else { return Ok(None) };
        let line = String::from_utf8_lossy(rest.get(..end).unwrap_or_default()).into_owned();
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| "the answer is broken (chunks)".to_string())?;
        if size == 0 {
            return Ok(Some(out));
        }
        let start = end.saturating_add(2);
        let stop = start.saturating_add(size);
        let Some(chunk) = rest.get(start..stop) else { return Ok(None) };
        out.extend_from_slice(chunk);
        let Some(next) = rest.get(stop.saturating_add(2)..) else { return Ok(None) };
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_read_by_its_length_its_chunks_or_its_end() {
        let read = |text: &str, all| parse(text.as_bytes(), all).map(|b| b.map(|b| String::from_utf8(b).unwrap()));
        let body = Ok(Some("hello".to_string()));
        assert_eq!(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false), body);
        assert_eq!(read("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", true), Ok(None));
        assert_eq!(read("HTTP/1.0 200 OK\r\n\r\nhello", true), body);
        assert_eq!(read("HTTP/1.0 200 OK\r\n\r\nhel", false), Ok(None));
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\n\r\n";
        assert_eq!(read(chunks, false), body);
        assert_eq!(read(&chunks[..chunks.len() - 8], false), Ok(None));
        for wrong in [
            "HTTP/1.1 500 No\r\n\r\n",
            "HTTP/1.1 302 There\r\nLocation: x\r\n\r\n",
            "SSH-2.0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        ] {
            assert!(read(wrong, true).is_err(), "{wrong:?}");
        }
    }
}
