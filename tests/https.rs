//! The feature `https` against a real TLS server on this machine: threat data is fetched, and a model is asked, where the
//! server's certificate is good; where it is not, nothing is. Skipped, loudly, without the feature, Python or openssl:
//! `cargo test --features https --test https`.

#![cfg_attr(feature = "https", expect(clippy::print_stderr, reason = "a test tells what it skips"))]

#[cfg(not(feature = "https"))]
#[test]
fn https() {
    eprintln!("SKIPPED: built without the feature `https` (cargo test --features https --test https)");
}

#[cfg(feature = "https")]
mod with_feature {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::io::{BufRead, BufReader, Write};
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};

    const BIN: &str = env!("CARGO_BIN_EXE_shellward");

    /// Serves the files of its directory, a redirection into clear text, half an answer, and a model that approves.
    const SERVER: &str = r#"
import http.server, ssl, sys
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def send(self, code, body, **headers):
        self.send_response(code)
        for k, v in headers.items(): self.send_header(k, v)
        if "Location" not in headers: self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if self.path == "/plain": return self.send(302, b"", Location="http://localhost:%d/new.db" % self.server.server_port)
        body = open(sys.argv[1] + "/new.db", "rb").read()
        if self.path == "/half":
            self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
            self.wfile.write(body[:len(body) // 2]); self.wfile.flush(); self.connection.close(); return
        self.send(200, body) if self.path == "/new.db" else self.send(404, b"")
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers.get("Authorization") == "Bearer k"
        self.send(200 if key else 401, b'{"choices":[{"message":{"content":"APPROVE"}}]}')
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
c.load_cert_chain(sys.argv[1] + "/server.pem", sys.argv[1] + "/server.key")
s.socket = c.wrap_socket(s.socket, server_side=True)
print(s.server_port, flush=True)
s.serve_forever()
"#;

    struct Served(PathBuf, Child, u16);

    impl Drop for Served {
        fn drop(&mut self) {
            let _ = self.1.kill();
            let _ = self.1.wait();
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn done(dir: &Path, program: &str, args: &[&str]) -> bool {
        let out = Command::new(program).args(args).current_dir(dir).stdin(Stdio::null()).output();
        out.is_ok_and(|o| o.status.success())
    }

    fn serve() -> Option<Served> {
        let dir = std::env::temp_dir().join(format!("shellward-https-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("ext"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n").unwrap();
        let new = |name: &str, subject: &str| {
            let (key, request) = (format!("{name}.key"), format!("{name}.csr"));
            let args = ["req", "-newkey", "rsa:2048", "-nodes", "-keyout", &key, "-out", &request, "-subj", subject];
            done(&dir, "openssl", &args)
        };
        let ca = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
            "-subj", "/CN=test",
        ];
        let sign = [
            "x509",
            "-req",
            "-in",
            "server.csr",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            "ext",
            "-out",
            "server.pem",
        ];
        if !(done(&dir, "openssl", &ca) && new("server", "/CN=localhost") && done(&dir, "openssl", &sign)) {
            eprintln!("SKIPPED: openssl makes no certificates");
            return None;
        }
        let server = Command::new("python3").args(["-c", SERVER]).arg(&dir).stdout(Stdio::piped()).spawn();
        let Ok(mut server) = server else {
            eprintln!("SKIPPED: there is no python3 to serve");
            return None;
        };
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().parse().unwrap();
        Some(Served(dir, server, port))
    }

    impl Served {
        fn run(&self, args: &[&str], ca: bool, stdin: &str) -> (i32, String) {
            let mut command = Command::new(BIN);
            command.args(args).env("SHELLWARD_THREATS", &self.0).env("SHELLWARD_STATE", self.0.join("state"));
            command.env("SHELLWARD_POLICY", self.0.join("policy.toml")).env("MODEL_KEY", "k");
            // Nothing of this machine stands between.
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "SHELLWARD_CA_FILE"] {
                command.env_remove(name);
            }
            if ca {
                command.env("SHELLWARD_CA_FILE", self.0.join("ca.pem"));
            }
            let mut child =
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
            let out = child.wait_with_output().unwrap();
            let text = [out.stdout, out.stderr].concat();
            (out.status.code().unwrap(), String::from_utf8(text).unwrap())
        }
    }

    #[test]
    fn https() {
        let Some(s) = serve() else { return };
        let url = |host: &str, path: &str| format!("https://{host}:{}/{path}", s.2);
        let endpoint = format!("[model]\nendpoint = \"{}\"\nkey_env = \"MODEL_KEY\"\n", url("localhost", "v1"));
        std::fs::write(s.0.join("policy.toml"), endpoint).unwrap();
        let file = |name: &str| s.0.join(name).to_string_lossy().into_owned();
        std::fs::write(s.0.join("list.txt"), "evil.example\n").unwrap();
        let feed = format!("list:{}", file("list.txt"));
        for args in [
            vec!["threats", "keys", &file("threats")],
            vec!["threats", "build", "--out", &file("new.db"), "--version", "1", &feed],
            vec!["threats", "sign", "--key", &file("threats.key"), &file("new.db")],
        ] {
            let (code, text) = s.run(&args, false, "");
            assert_eq!(code, 0, "{args:?}: {text}");
        }
        // Who is not known, who has another name, who leads into clear text or breaks off is not believed.
        for (host, path, ca, says) in [
            ("localhost", "new.db", false, "certificate"),
            ("127.0.0.1", "new.db", true, "certificate"),
            ("localhost", "plain", true, "https"),
            ("localhost", "half", true, "cannot be read to its end"),
            ("localhost", "none", true, "404"),
        ] {
            let (code, text) = s.run(&["threats", "update", &url(host, path)], ca, "");
            assert!(matches!(code, 74 | 78) && text.to_lowercase().contains(says), "{host}/{path}: {code}: {text}");
            assert!(!s.0.join("threats.db").exists(), "{host}/{path}");
        }
        let (code, text) = s.run(&["threats", "update", &url("localhost", "new.db")], true, "");
        assert!(code == 0 && text.contains("1 records in use"), "{text}");

        // The model, with its key; without a certificate that is known it is not asked, and a person is.
        let request = r#"{"command": "chmod 777 ./out", "context": "interactive", "cwd": "/p"}"#;
        let (code, text) = s.run(&["gate", "--json", "--prompt", "never"], true, request);
        assert!(code == 0 && text.contains("\"smart_approved\":true"), "{text}");
        let (code, text) = s.run(&["gate", "--json", "--prompt", "never"], false, request);
        assert!(code == 2 && text.contains("the model could not be asked"), "{text}");
    }
}
