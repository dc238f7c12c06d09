//! Names that lead to an address: container images with the host of their registry, packages from an address, modules.
//!
//! In: what a package manager or container engine is given. Out: the address that it gets it from, where the name says
//! one. A name that only its usual registry knows has none. The forms are those of the registries: PEP 508 for Python,
//! `npm install` for JavaScript, module paths for Go, the reference format of OCI images.

use super::Address;

/// The address in what an installer is given: `URL`, `name @ URL`, `name@URL`, `git+URL`, `host/path` with a dotted host.
pub fn of_package(spec: &str) -> Option<Address> {
    let spec = spec.trim();
    // @scope/name@URL
    let spec = spec.strip_prefix('@').and_then(|s| s.split_once('/')).map_or(spec, |(_, name)| name);
    // PEP 508: name[extras] @ URL ; markers
    let direct = spec.split_once(" @ ").or_else(|| spec.split_once('@').filter(|(_, u)| has_scheme(u)));
    if let Some((_, url)) = direct.filter(|(name, _)| !name.is_empty() && !name.contains([':', '/'])) {
        let url = url.trim().split(" ;").next().unwrap_or_default().split_whitespace().next()?;
        return Address::parse_text(url, "");
    }
    if has_scheme(spec) || spec.starts_with("git@") {
        return Address::parse_text(spec, "ssh");
    }
    // A module or chart by its path: the first part is a host where it has a dot.
    let (host, _) = spec.split_once('/')?;
    let dotted = host.contains('.') && !host.starts_with(['.', '@', '~']) && !host.contains(['=', '<', '>', '*']);
    dotted.then(|| Address::parse_text(spec, "https")).flatten()
}

/// The address that an image comes from; `None` for one that names no registry.
pub fn of_image(reference: &str) -> Option<Address> {
    let text = reference.trim();
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (host, rest) = text.split_once('/')?;
    // The first part is a host where it has a dot or a port, or is this machine.
    let is_host = host.contains(['.', ':']) && !host.starts_with('.') || host == "localhost";
    let path = rest.split('@').next().unwrap_or_default();
    is_host.then(|| Address::parse_text(&format!("oci://{host}/{path}"), "oci")).flatten()
}

/// True for `scheme:` with a host behind it, also `git+https://…`.
fn has_scheme(text: &str) -> bool {
    text.trim().split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_from_addresses() {
        for (spec, want) in [
            ("x @ https://e.example/x.tgz", Some(("https", "e.example"))),
            ("x[a,b] @ git+https://e.example/r.git@main ; python_version>'3'", Some(("https", "e.example"))),
            ("x@https://e.example/x.tgz", Some(("https", "e.example"))),
            ("@s/x@git+ssh://git@e.example/r", Some(("ssh", "e.example"))),
            ("git+http://e.example/r.git@v1#egg=x", Some(("http", "e.example"))),
            ("https://e.example/@s/x.tgz", Some(("https", "e.example"))),
            ("https://user@e.example/x.tgz", Some(("https", "e.example"))),
            ("git@e.example:o/r.git", Some(("ssh", "e.example"))),
            ("e.example/m/v2@v2.1.0", Some(("https", "e.example"))),
            ("@scope/name@1.2.3", None),
            ("owner/repo", None),
            ("requests>=2", None),
            ("x@npm:y@1", None),
            ("./a.b/c", None),
            ("monolog/monolog", None),
        ] {
            let found = of_package(spec);
            let found = found.as_ref().map(|a| (a.scheme.as_str(), a.host_text.as_str()));
            assert_eq!(found, want, "{spec}");
        }
    }

    #[test]
    fn images_from_registries() {
        for (image, want) in [
            ("e.example/x/y:tag", Some(("e.example", None))),
            ("e.example:5000/x@sha256:00", Some(("e.example", Some("5000")))),
            ("docker://e.example/x", Some(("e.example", None))),
            ("localhost/x", Some(("localhost", None))),
            ("library/alpine", None),
            ("alpine:3", None),
            ("x@sha256:00", None),
        ] {
            let found = of_image(image);
            let found = found.as_ref().map(|a| (a.host_text.as_str(), a.port.as_deref()));
            assert_eq!(found, want, "{image}");
        }
    }
}
