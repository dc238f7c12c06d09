//! The closed lists of the vocabulary: verbs, properties, languages.
//!
//! Floor 3; imports nothing, so that `build.rs` can share the file: grammars are checked against the same lists that
//! the program uses.

macro_rules! named {
    ($(#[$m:meta])* $name:ident { $($(#[$vm:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vm])* $variant,)+ }
        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];
            /// Its name in grammars and in output.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
            /// The one with that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some($name::$variant),)+ _ => None }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use named;

named! {
    /// What is done. The names are those that grammars state in `effect = ["verb object"]`.
    Verb {
        /// Content of a file is read. Object: path.
        Read = "read",
        /// Names, sizes, metadata are listed. Object: path.
        List = "list",
        /// A file is created or its content replaced. Object: path.
        Write = "write",
        /// Content is added at the end. Object: path.
        Append = "append",
        /// Content is changed in place. Object: path.
        Update = "update",
        /// A new file or directory appears where none was, or time stamps change. Object: path.
        Create = "create",
        /// A file, or with `recursive` a tree, goes away. Object: path.
        Delete = "delete",
        /// A file goes to another name. Object: path it leaves.
        Move = "move",
        /// A link is made. Object: the link.
        Link = "link",
        /// Access rights change. Object: path.
        Mode = "mode",
        /// Owner or group changes. Object: path.
        Owner = "owner",
        /// The working directory changes. Object: path.
        Chdir = "chdir",
        /// An archive is unpacked into a directory. Object: path.
        Extract = "extract",
        /// A file is executed as a program of its own. Object: path.
        Execute = "execute",
        /// Content is got from an address. Object: URL.
        Fetch = "fetch",
        /// Content goes to an address. Object: URL or host.
        Send = "send",
        /// A repository or tree is copied from an address. Object: URL.
        Clone = "clone",
        /// A connection is opened. Object: socket.
        Connect = "connect",
        /// A port is opened to others. Object: socket.
        Listen = "listen",
        /// A name is looked up, a host probed. Object: host.
        Probe = "probe",
        /// A process is started. Object: command.
        Spawn = "spawn",
        /// Text is run as a program. Object: code.
        Evaluate = "evaluate",
        /// Content is decoded, decompressed, decrypted. Object: the transform's name.
        Decode = "decode",
        /// Content is encoded, compressed, encrypted. Object: the transform's name.
        Encode = "encode",
        /// A package is installed. Object: package.
        Install = "install",
        /// A package is removed. Object: package.
        Uninstall = "uninstall",
        /// A package, image, release is published. Object: name.
        Publish = "publish",
        /// A signal is sent. Object: process or pattern.
        Kill = "kill",
        /// The machine is halted, restarted, suspended. Object: which.
        Power = "power",
        /// A service is started, stopped, enabled, masked. Object: unit; `stop`, `start`, … as properties.
        Service = "service",
        /// A command is laid down for later (cron, at, timers). Object: code or name.
        Schedule = "schedule",
        /// A file system or block device is made anew, or partitioned. Object: device.
        Format = "format",
        /// A volume is mounted or unmounted. Object: path.
        Mount = "mount",
        /// Accounts, groups, passwords change. Object: user.
        Account = "account",
        /// Rights are gained or given: setuid, sudo, capabilities. Object: what.
        Privilege = "privilege",
        /// The kernel is changed: modules, sysctl, namespaces. Object: what.
        Kernel = "kernel",
        /// Network set-up changes: firewall, routes, interfaces. Object: what.
        Network = "network",
        /// Settings of a program or the system change. Object: key.
        Configure = "configure",
        /// An environment variable is set for this shell or a child. Object: name.
        Environment = "environment",
        /// Uncommitted or unreachable work of a repository is thrown away. Object: which.
        VcsDiscard = "vcs.discard",
        /// Published history is replaced or deleted. Object: which.
        VcsRewrite = "vcs.rewrite",
        /// A repository changes in a way that loses nothing (commit, branch, fetch). Object: which.
        VcsChange = "vcs.change",
        /// A repository goes to a remote. Object: which.
        VcsPush = "vcs.push",
        /// Containers, pods, machines, cloud resources are started or changed. Object: which.
        ResourceChange = "resource.change",
        /// Containers, pods, machines, cloud resources are deleted for good. Object: which.
        ResourceDelete = "resource.delete",
        /// Rows, tables, databases are changed. Object: which.
        DataChange = "data.change",
        /// Rows, tables, databases are deleted for good. Object: which.
        DataDelete = "data.delete",
        /// A record of what was done is removed or stopped: history, logs, audit. Object: which.
        LogClear = "log.clear",
        /// A protection is switched off. Object: which.
        ProtectionOff = "protection.off",
        /// This gate is answered, taken out, or tried. Object: how.
        Guard = "guard",
        /// A secret is read or shown. Object: which.
        Secret = "secret",
        /// Processing power or storage is used without end (miners, fillers, fork bombs). Object: which.
        Exhaust = "exhaust",
        /// State of the machine, users, network is only looked at. Object: what.
        Inspect = "inspect",
        /// The desktop, terminal or clipboard is driven. Object: what.
        Interact = "interact",
    }
}

/// Properties of an invocation or effect, as a set of the names in [`PROPS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Props(pub u64);

macro_rules! props {
    ($($(#[$m:meta])* $id:ident = $text:literal,)+) => {
        /// The names of all properties, in the order of their bits: the closed list that grammars are checked against.
        pub const PROPS: &[&str] = &[$($text,)+];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "only counts the bits")]
        #[repr(u8)]
        enum Bit { $($id,)+ }
        impl Verb {
    /// A bit for it, so that a set of verbs is a number. Verbs beyond the 64th share theirs with others.
    pub fn bit(self) -> u64 {
        1 << (self as u32 % u64::BITS)
    }
}

impl Props {
            $($(#[$m])* pub const $id: Props = Props(1 << Bit::$id as u64);)+
        }
    };
}

props! {
    /// The whole tree below.
    RECURSIVE = "recursive",
    /// Without asking, ignoring errors.
    FORCE = "force",
    /// Asks a person before each step.
    ASKS = "asks",
    /// TLS certificates are not checked.
    TLS_UNVERIFIED = "tls.unverified",
    /// Signatures of packages are not checked.
    SIGNATURE_UNVERIFIED = "signature.unverified",
    /// Redirects are followed.
    FOLLOW = "follow",
    /// The address stood without a scheme.
    SCHEMELESS = "schemeless",
    /// The effect is withheld by a dry-run option.
    SIMULATED = "simulated",
    /// The protection of `/` is switched off.
    NO_PRESERVE_ROOT = "no-preserve-root",
    /// Gives execution rights.
    EXECUTABLE = "executable",
    /// Gives set-user-id or set-group-id.
    SETUID = "setuid",
    /// Writable for everyone.
    WORLD_WRITABLE = "world-writable",
    /// With another user's rights (root unless `user` says otherwise).
    ELEVATED = "elevated",
    /// An elevated program reads its password from standard input.
    PASSWORD_STDIN = "password.stdin",
    /// Interactive: a terminal session.
    INTERACTIVE = "interactive",
    /// Runs on after the command has ended.
    DETACHED = "detached",
    /// With all rights of the host (containers).
    PRIVILEGED = "privileged",
    /// A part of the host's file system or its namespaces are given to the container.
    HOST_ACCESS = "host-access",
    /// Starts.
    START = "start",
    /// Stops.
    STOP = "stop",
    /// From now on at every start.
    ENABLE = "enable",
    /// No longer at start.
    DISABLE = "disable",
    /// Everywhere: all users, all objects, global settings.
    GLOBAL = "global",
    /// All of them (packages, containers, volumes).
    ALL = "all",
    /// Data volumes, too.
    VOLUMES = "volumes",
    /// A program is connected to the peer (nc -e, socat EXEC:).
    EXEC_PEER = "exec-peer",
    /// Only this user's part.
    USER = "user",
    /// The name or address is an outer source for a package (URL, git).
    FROM_URL = "from-url",
    /// Another package index than the usual one.
    OTHER_INDEX = "other-index",
    /// Life-cycle scripts are not run.
    NO_SCRIPTS = "no-scripts",
    /// Through a proxy or for one.
    PROXY = "proxy",
    /// Only headers or metadata are got.
    HEAD_ONLY = "head-only",
    /// Cleans up after itself: names that a build would make again.
    RECOVERABLE = "recoverable",
    /// Reads a secret store by its nature.
    SECRET = "secret",
    /// Untracked files, too (git clean).
    UNTRACKED = "untracked",
    /// Follows the operand's own content, never the network.
    LOCAL = "local",
    /// Overwrites content beyond recovery.
    WIPE = "wipe",
    /// Nothing is kept when it exists already.
    NO_CLOBBER = "no-clobber",
    /// Sends the connection in clear text.
    CLEARTEXT = "cleartext",
    /// Packages are removed, not installed: turns `package.ECOSYSTEM` into `uninstall`.
    REMOVE = "remove",
    /// Only what matches a pattern or test (find -name): not all of the tree.
    FILTERED = "filtered",
    /// Gives set-group-id without set-user-id (on a directory: new files get its group).
    SETGID = "setgid",
    /// What is read serves the program itself (a key for a login, settings) and is passed on to nobody.
    USED = "used",
    /// What is written is an archive, compressed or encrypted: its content is no longer seen from outside.
    PACKS = "packs",
    /// Code is given as base64 of UTF-16 (`-EncodedCommand`).
    ENCODED = "encoded",
    /// All that is written stands in the command as a here-document.
    DOCUMENT = "document",
    /// Compares content with a digest or signature that was given.
    VERIFIES = "verifies",
    /// Nearly all of it: what a test leaves out (other kinds of files, one name) is little.
    NEARLY_ALL = "nearly-all",
    /// The value of its code is printed.
    PRINTS_VALUE = "prints-value",
}

impl Props {
    /// The property with that name.
    pub fn from_name(name: &str) -> Option<Props> {
        PROPS.iter().position(|p| *p == name).and_then(|i| 1u64.checked_shl(u32::try_from(i).ok()?)).map(Props)
    }
    /// True where all of `other` are set.
    pub fn has(self, other: Props) -> bool {
        self.0 & other.0 == other.0
    }
    /// Both sets.
    #[must_use]
    pub fn with(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }
    /// This set without another.
    #[must_use]
    pub fn without(self, other: Props) -> Props {
        Props(self.0 & !other.0)
    }
    /// The names that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        PROPS.iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, n)| *n)
    }
}

named! {
    /// Languages a program can be in.
    Language {
        /// POSIX sh: read as sh or bash, the worse of the two where they differ.
        Sh = "sh",
        /// bash
        Bash = "bash",
        /// zsh
        Zsh = "zsh",
        /// ksh, mksh
        Ksh = "ksh",
        /// fish
        Fish = "fish",
        /// PowerShell
        PowerShell = "powershell",
        /// cmd.exe
        Cmd = "cmd",
        /// Nushell
        Nushell = "nushell",
        /// csh, tcsh
        Csh = "csh",
        /// Python
        Python = "python",
        /// JavaScript or TypeScript
        JavaScript = "javascript",
        /// Ruby
        Ruby = "ruby",
        /// Perl
        Perl = "perl",
        /// PHP
        Php = "php",
        /// Lua
        Lua = "lua",
        /// awk
        Awk = "awk",
        /// sed
        Sed = "sed",
        /// ed, ex
        Ed = "ed",
        /// jq
        Jq = "jq",
        /// SQL, with the client's own backslash or dot commands
        Sql = "sql",
        /// R
        R = "r",
        /// Tcl, expect
        Tcl = "tcl",
        /// AppleScript
        AppleScript = "applescript",
        /// Vim script, ex commands
        Vim = "vim",
        /// Emacs Lisp
        Elisp = "elisp",
        /// gdb commands
        Gdb = "gdb",
        /// make
        Make = "make",
        /// Julia
        Julia = "julia",
        /// Groovy, Java shell and other languages of the JVM
        Jvm = "jvm",
        /// crontab
        Crontab = "crontab",
        /// The scripts of a package.json
        NpmScripts = "npm-scripts",
        /// Commands of programs that transfer files: ftp, sftp, lftp, smbclient
        Transfer = "transfer",
        /// Files of settings: names and values
        Settings = "settings",
        /// A language that is not read here.
        Other = "other",
    }
}

impl Language {
    /// True where a number or the name of a directory in the middle of code stays text: shells, and languages of patterns
    /// and tables.
    pub fn takes_text(self) -> bool {
        use Language as L;
        matches!(self, L::Sh | L::Bash | L::Zsh | L::Ksh | L::Fish | L::Sed | L::Awk | L::Jq | L::Sql)
    }
}
