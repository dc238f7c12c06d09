//! Whose certificates are trusted: those that browsers trust, compiled in; or, where `SHELLWARD_CA_FILE` names a file of
//! certificates in PEM, those in it and no others.

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// The variable that names the file.
const VARIABLE: &str = "SHELLWARD_CA_FILE";

/// How servers are checked, or what is wrong with the file.
pub fn config() -> Result<TlsConfig, String> {
    let Some(path) = std::env::var_os(VARIABLE).filter(|p| !p.is_empty()) else { return Ok(TlsConfig::default()) };
    let shown = path.to_string_lossy().into_owned();
    let text = std::fs::read(&path).map_err(|e| format!("{VARIABLE}: cannot read {shown}: {e}"))?;
    let mut certificates: Vec<Certificate<'static>> = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(c) = item.map_err(|e| format!("{VARIABLE}: {shown}: {e}"))? {
            certificates.push(c);
        }
    }
    if certificates.is_empty() {
        return Err(format!("{VARIABLE}: {shown} has no certificate in it"));
    }
    Ok(TlsConfig::builder().root_certs(RootCerts::from(certificates)).build())
}
