//! Signatures in the format of minisign (jedisct1.github.io/minisign): Ed25519 over the BLAKE2b-512 of the header.
//!
//! A signature made elsewhere, `minisign -S` over the bytes of `shellward threats header`, can be put in as it is.

use super::read::{position, read_at};
use super::{Header, Refusal, SIGNATURE};
use minisign_verify::{PublicKey, Signature};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::path::Path;

/// The comment that nobody vouches for is always the same, so that no byte of the file is free.
const COMMENT: &str = "untrusted comment: a Shellward threat database";

/// The signature field of a header that is not signed: its digest, so that damage is found all the same.
pub(super) fn unsigned(header: &[u8]) -> [u8; SIGNATURE] {
    let hash: String = Sha256::digest(header).iter().map(|b| format!("{b:02x}")).collect();
    field(&format!("not signed, sha256 {hash}\n"))
}

/// The field that holds a text.
fn field(text: &str) -> [u8; SIGNATURE] {
    let mut out = [0; SIGNATURE];
    out.iter_mut().zip(text.bytes()).for_each(|(o, b)| *o = b);
    out
}

/// The text of a field; `None` where something stands behind it.
fn text_of(field: &[u8]) -> Option<&str> {
    let end = field.iter().position(|b| *b == 0)?;
    let (text, rest) = field.split_at_checked(end)?;
    rest.iter().all(|b| *b == 0).then_some(())?;
    std::str::from_utf8(text).ok()
}

/// Checks a header against its signature field: the id of the key that signed it, or `None` where nobody did.
pub(super) fn check(header: &[u8], field: &[u8], keys: &[PublicKey]) -> Result<Option<String>, Refusal> {
    if field == unsigned(header) {
        return Ok(None);
    }
    let text = text_of(field).filter(|t| t.lines().next() == Some(COMMENT) && t.lines().count() == 4);
    let signature = text.and_then(|t| Signature::decode(t).ok()).ok_or(Refusal::Signature)?;
    let id = key_id(text.and_then(|t| t.lines().nth(1)).unwrap_or_default());
    if keys.is_empty() {
        return Err(Refusal::NoKeys);
    }
    let mut known = false;
    for key in keys {
        match key.verify(header, &signature, false) {
            Ok(()) => return Ok(Some(id)),
            Err(minisign_verify::Error::UnexpectedKeyId) => {}
            Err(_) => known = true,
        }
    }
    Err(if known { Refusal::Signature } else { Refusal::Key(id) })
}

/// The id of a key in the digits that minisign shows, from the base64 of a signature or key: the eight bytes behind the
/// two of the algorithm, the last one first.
pub fn key_id(base64: &str) -> String {
    let digit = |c: u8| -> u32 {
        match c {
            b'A'..=b'Z' => u32::from(c - b'A'),
            b'a'..=b'z' => u32::from(c - b'a').saturating_add(26),
            b'0'..=b'9' => u32::from(c - b'0').saturating_add(52),
            b'+' => 62,
            _ => 63,
        }
    };
    let mut bytes = Vec::new();
    let (mut acc, mut bits) = (0u32, 0u32);
    for c in base64.trim().bytes().take(14) {
        acc = (acc << 6 | digit(c)) & 0xFFFF;
        bits = bits.saturating_add(6);
        if bits >= 8 {
            bits = bits.saturating_sub(8);
            bytes.push(acc >> bits & 0xFF);
        }
    }
    bytes.get(2..10).unwrap_or_default().iter().rev().map(|b| format!("{b:02X}")).collect()
}

/// Why a database was not signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The key cannot be used.
    #[error("the secret key cannot be used: {0}")]
    Key(String),
    /// The signature cannot be used.
    #[error("the signature cannot be used: {0}")]
    Signature(String),
    /// It is no database.
    #[error("the database {0}")]
    Database(#[from] Refusal),
}

/// The header of a database file, and where it ends. Nothing is checked but its digest where it is not signed.
pub fn header_of(file: &File) -> Result<Vec<u8>, Refusal> {
    let mut prefix = vec![0; Header::prefix()];
    read_at(file, &mut prefix, 0).map_err(|_| Refusal::Foreign)?;
    let mut bytes = vec![0; position(Header::length_of(&prefix)?)];
    read_at(file, &mut bytes, 0)?;
    Ok(bytes)
}

/// Signs with a secret key in minisign's format; the password is that of the key, empty for one without.
pub fn sign(path: &Path, secret: &str, password: &str) -> Result<String, SignError> {
    let file = File::open(path).map_err(Refusal::from)?;
    let header = header_of(&file)?;
    let wrong = |e: minisign::PError| SignError::Key(e.to_string());
    let boxed = minisign::SecretKeyBox::from_string(secret).map_err(wrong)?;
    let key = match password {
        "" => boxed.into_unencrypted_secret_key(),
        _ => boxed.into_secret_key(Some(password.to_string())),
    }
    .map_err(wrong)?;
    let about = Header::of_bytes(&header)?;
    let trusted = format!("shellward threats {} made {}", about.version, crate::time::show(about.made));
    let signed = minisign::sign(None, &key, header.as_slice(), Some(&trusted), None).map_err(wrong)?;
    attach(path, &signed.into_string())
}

/// Puts in a signature that was made elsewhere over the header. Gives the id of its key. It is not checked here: that needs
/// the public key.
pub fn attach(path: &Path, signature: &str) -> Result<String, SignError> {
    let wrong = |e: &str| SignError::Signature(e.to_string());
    let lines: Vec<&str> = signature.lines().collect();
    let [_, own, trusted, global] = lines.as_slice() else { return Err(wrong("it has not the four lines of one")) };
    let text = format!("{COMMENT}\n{own}\n{trusted}\n{global}\n");
    Signature::decode(&text).map_err(|e| wrong(&e.to_string()))?;
    if text.len() >= SIGNATURE {
        return Err(wrong("its trusted comment is too long"));
    }
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).map_err(Refusal::from)?;
    let at = u64::try_from(header_of(&file)?.len()).unwrap_or(u64::MAX);
    super::read::write_at(&file, &field(&text), at).map_err(Refusal::from)?;
    file.sync_all().map_err(Refusal::from)?;
    Ok(key_id(own))
}

/// A new pair of keys without a password, as the texts of minisign's files: public, secret.
pub fn new_keys() -> Result<(String, String), SignError> {
    let wrong = |e: minisign::PError| SignError::Key(e.to_string());
    let pair = minisign::KeyPair::generate_unencrypted_keypair().map_err(wrong)?;
    let public = pair.pk.to_box().map_err(wrong)?.into_string();
    let secret = pair.sk.to_box(Some("a Shellward threat database")).map_err(wrong)?.into_string();
    Ok((public, secret))
}
