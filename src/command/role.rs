//! Roles: what a word of an argv is. The closed list that grammars are checked against, each with the effect it makes.
//!
//! In: role names. Out: [`Role`]. The interpreter turns each use of a role into effects.

use crate::effect::{Language, Verb};

macro_rules! roles {
    ($($(#[$m:meta])* $variant:ident = $text:literal,)+) => {
        /// What a value of an argv is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role {
            $($(#[$m])* $variant,)+
            /// `code.LANG`: evaluated in that language.
            Code(Language),
            /// `package.ECOSYSTEM`: a package that is installed (or what `verb` in the grammar says).
            Package(&'static str),
        }
        impl Role {
            /// The names of all roles without a parameter.
            pub const NAMES: &'static [&'static str] = &[$($text,)+];
            /// All of them, in the same order.
            pub const SIMPLE: &'static [Role] = &[$(Role::$variant,)+];
            fn simple(name: &str) -> Option<Role> {
                match name { $($text => Some(Role::$variant),)+ _ => None }
            }
            /// Its name in grammars.
            pub fn name(self) -> std::borrow::Cow<'static, str> {
                match self {
                    $(Role::$variant => $text.into(),)+
                    Role::Code(l) => format!("code.{l}").into(),
                    Role::Package(e) => format!("package.{e}").into(),
                }
            }
        }
    };
}

roles! {
    /// An address that is fetched. Effect: `fetch`.
    UrlFetch = "url.fetch",
    /// An address that data is sent to. Effect: `send`.
    UrlSend = "url.send",
    /// A repository that is cloned or fetched. Effect: `clone`.
    UrlClone = "url.clone",
    /// An address that is only opened or named. Effect: `connect`.
    UrlOpen = "url.open",
    /// A host that is connected to. Effect: `connect`.
    Host = "host",
    /// A host that is looked up or probed. Effect: `probe`.
    HostProbe = "host.probe",
    /// A proxy for everything else. Effect: `configure` with property `proxy`.
    HostProxy = "host.proxy",
    /// A port: joins with `host` to a socket.
    Port = "port",
    /// A port that is listened on. Effect: `listen`.
    PortListen = "port.listen",
    /// `host:port` or a path of a socket. Effect: `connect`.
    Socket = "socket",
    /// `host:port` that is listened on. Effect: `listen`.
    SocketListen = "socket.listen",
    /// Content is read. Effect: `read`.
    PathRead = "path.read",
    /// Content is read and sent to where the invocation sends. Effects: `read`, `send`.
    PathSend = "path.send",
    /// Content is replaced. Effect: `write`.
    PathWrite = "path.write",
    /// Content is added. Effect: `append`.
    PathAppend = "path.append",
    /// Content changes in place. Effects: `read`, `update`.
    PathUpdate = "path.update",
    /// A file goes away. Effect: `delete`.
    PathDelete = "path.delete",
    /// A tree goes away. Effect: `delete` with `recursive`.
    PathDeleteTree = "path.delete_tree",
    /// Content is read and written to `other`. Effects: `read`, and `write` of the other.
    PathCopy = "path.copy",
    /// Where what is copied, moved or linked goes. No effect of its own: the uses that name it as `other` have it.
    PathDest = "path.dest",
    /// Content is cut off or grows by zeros. Effect: `write`.
    PathTruncate = "path.truncate",
    /// Changes of a file or directory are waited for. Effect: `list`.
    PathWatch = "path.watch",
    /// Names and metadata are read. Effect: `list`.
    PathList = "path.list",
    /// A file or directory is made, or its times are set. Effect: `create`.
    PathCreate = "path.create",
    /// It leaves its name. Effect: `move`; `other` is the destination, which is written.
    PathMove = "path.move",
    /// What a link points to; `other` is the link. Effect: `link`.
    PathLink = "path.link",
    /// Rights change. Effect: `mode`.
    PathMode = "path.mode",
    /// Owner changes. Effect: `owner`.
    PathOwner = "path.owner",
    /// A file of further options or settings. Effect: `read`; known only if the file is.
    PathConfig = "path.config",
    /// A file that is run as a program. Effect: `execute`.
    PathExec = "path.exec",
    /// The directory the program works in. Effect: `chdir` for this invocation.
    PathChdir = "path.chdir",
    /// An archive that is read and unpacked. Effects: `read`, `extract`.
    PathArchive = "path.archive",
    /// Where an archive is unpacked to. Effect: `extract`.
    PathExtract = "path.extract",
    /// A script: a file whose content is evaluated in the program's own language. Effects: `read`, `evaluate`.
    PathScript = "path.script",
    /// A block or character device that is written. Effect: `write` (to a device).
    Device = "device",
    /// A device that gets a new file system or partition table. Effect: `format`.
    DeviceFormat = "device.format",
    /// This and the following words are a command. Effect: `spawn`, then all of its own.
    Command = "command",
    /// One string that is split into words and run without a shell. Effect: as `command`.
    CommandString = "command.string",
    /// `NAME=value` for the command that follows or the shell. Effect: `environment`.
    EnvAssign = "env.assign",
    /// A variable's name that is set or unset. Effect: `environment`.
    EnvName = "env.name",
    /// Data that is sent to where the invocation sends. Effect: `send`.
    DataSend = "data.send",
    /// Text that is printed or stored, never run. No effect.
    DataText = "data.text",
    /// `NAME=value`: a variable of the code that runs.
    CodeVariable = "variable",
    /// Words that are read as options of the program before its own (`NODE_OPTIONS`).
    Options = "options",
    /// A user. No effect of its own.
    User = "user",
    /// A group. No effect of its own.
    Group = "group",
    /// A process id that a signal goes to. Effect: `kill`.
    Pid = "pid",
    /// A process name or pattern that a signal goes to. Effect: `kill`.
    ProcessName = "process",
    /// A signal's name or number. No effect of its own.
    Signal = "signal",
    /// A service unit. Joins with the stated effect.
    Unit = "unit",
    /// A container or image reference that is fetched. Effect: `fetch`.
    Image = "image",
    /// A container, pod, machine. Joins with the stated effect or place.
    Container = "container",
    /// A host on which the command runs. Effect: `connect`; place of the nested command.
    RemoteHost = "remote.host",
    /// `[user@]host:path` or a local path, read. Effects: `read`, or `fetch` where remote.
    RemoteRead = "remote.read",
    /// `[user@]host:path` or a local path, written. Effects: `write`, or `send` where remote.
    RemoteWrite = "remote.write",
    /// A volume or bind mount `host:container`. Effect: `mount`, property `host-access` for host paths.
    Volume = "volume",
    /// A secret in clear text. Effect: `secret`.
    Secret = "secret",
    /// A pattern that is searched for. No effect.
    Pattern = "pattern",
    /// A number. No effect.
    Number = "number",
    /// A format. No effect.
    Format = "format",
    /// A name that has no effect of its own.
    Name = "name",
    /// What stands between the words that standard input becomes (xargs): one byte, or an escape for it. No effect.
    Delimiter = "delimiter",
    /// Text that has no effect of its own.
    Text = "text",
    /// Text that the shell expands once more (a word list, a prompt). Effects: those of the substitutions in it.
    Expanded = "text.expanded",
    /// For variables: words that the program reads as further arguments.
    Arguments = "arguments",
    /// A permission mode (chmod): sets `setuid`, `executable`, `world-writable` where it gives them.
    ModeBits = "mode",
    /// A setting `key=value` or `key`. Effect: `configure`.
    Setting = "setting",
    /// An object that the stated effects of the (sub-)command are about.
    Subject = "subject",
}

impl Role {
    /// The role with that name. `code.LANG` takes a [`Language`] name, `package.ECO` any ecosystem.
    pub fn from_name(name: &'static str) -> Option<Role> {
        if let Some(l) = name.strip_prefix("code.") {
            return Language::from_name(l).map(Role::Code);
        }
        if let Some(e) = name.strip_prefix("package.") {
            return Some(Role::Package(e));
        }
        Role::simple(name)
    }
    /// The verbs of the effects that a value with this role has by itself, in order. Roles whose effects depend on more
    /// than the value (`other`, a language, whether it is remote) give those that they always have.
    pub const fn verbs(self) -> &'static [Verb] {
        use Verb as V;
        match self {
            Role::UrlFetch | Role::Image => &[V::Fetch],
            Role::UrlSend | Role::DataSend => &[V::Send],
            Role::UrlClone => &[V::Clone],
            Role::UrlOpen | Role::Host | Role::Socket | Role::RemoteHost => &[V::Connect],
            Role::HostProbe => &[V::Probe],
            Role::HostProxy | Role::Setting => &[V::Configure],
            Role::PortListen | Role::SocketListen => &[V::Listen],
            Role::PathRead | Role::PathConfig | Role::PathCopy => &[V::Read],
            Role::PathSend => &[V::Read, V::Send],
            Role::PathWrite | Role::PathTruncate | Role::Device => &[V::Write],
            Role::PathAppend => &[V::Append],
            Role::PathUpdate => &[V::Read, V::Update],
            Role::PathDelete | Role::PathDeleteTree => &[V::Delete],
            Role::PathList | Role::PathWatch => &[V::List],
            Role::PathCreate => &[V::Create],
            Role::PathMove => &[V::Move],
            Role::PathLink => &[V::Link],
            Role::PathMode => &[V::Mode],
            Role::PathOwner => &[V::Owner],
            Role::PathExec => &[V::Execute],
            Role::PathChdir => &[V::Chdir],
            Role::PathArchive => &[V::Read, V::Extract],
            Role::PathExtract => &[V::Extract],
            Role::PathScript => &[V::Read, V::Evaluate],
            Role::DeviceFormat => &[V::Format],
            Role::Command | Role::CommandString => &[V::Spawn],
            Role::Code(_) => &[V::Evaluate],
            Role::EnvAssign | Role::EnvName => &[V::Environment],
            Role::Pid | Role::ProcessName => &[V::Kill],
            Role::Package(_) => &[V::Install],
            Role::RemoteRead => &[V::Read],
            Role::RemoteWrite => &[V::Write],
            Role::Volume => &[V::Mount],
            Role::Secret => &[V::Secret],
            Role::Port
            | Role::PathDest
            | Role::DataText
            | Role::CodeVariable
            | Role::Options
            | Role::User
            | Role::Group
            | Role::Signal
            | Role::Unit
            | Role::Container
            | Role::Pattern
            | Role::Number
            | Role::Format
            | Role::Name
            | Role::Delimiter
            | Role::Expanded
            | Role::Arguments
            | Role::Text
            | Role::ModeBits
            | Role::Subject => &[],
        }
    }
    /// A small number for roles without a free parameter; below 255.
    pub fn code(self) -> Option<u8> {
        let at = match self {
            Role::Package(_) => return None,
            Role::Code(l) => Role::SIMPLE.len().checked_add(Language::ALL.iter().position(|m| *m == l)?)?,
            r => Role::SIMPLE.iter().position(|q| *q == r)?,
        };
        u8::try_from(at).ok().filter(|c| *c < u8::MAX)
    }
    /// The role with that number.
    pub fn from_code(code: u8) -> Option<Role> {
        let at = usize::from(code);
        match at.checked_sub(Role::SIMPLE.len()) {
            None => Role::SIMPLE.get(at).copied(),
            Some(l) => Language::ALL.get(l).copied().map(Role::Code),
        }
    }
}

impl Default for Role {
    /// The role that claims nothing.
    fn default() -> Self {
        Role::Text
    }
}

/// What a program does with its standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdin {
    /// It does not read it.
    #[default]
    Ignored,
    /// It reads it as data.
    Data,
    /// It reads it as data and sends it to where the invocation sends.
    Sent,
    /// It reads passwords or keys from it: what is behind the colon of a line that begins with a name, else the line.
    Secret,
    /// It evaluates it.
    Code(Language),
    /// Its words become further arguments of the command (xargs).
    Args,
    /// Each line is a command, or an argument of the command where there is one (parallel).
    CommandList,
    /// What it holds are the operands, where none are given (cmdlets in a pipeline).
    Items,
    /// It is not known whether it reads it.
    Unknown,
}

/// What a program writes to its standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stdout {
    /// Nothing of consequence.
    Nothing,
    /// What came in on standard input.
    CopyStdin,
    /// The content of its operands, or of standard input where there are none.
    ContentOperands,
    /// What was fetched.
    Fetched,
    /// Text of the program's own (versions, status), never chosen by others.
    Constant,
    /// A computable transform; its name. Input: the operands' content or standard input.
    Transform(&'static str),
    /// Names of files.
    Listing,
    /// Hashes, names or absolute paths: words that do not begin with a dash.
    Names,
    /// Names of what lies in a place that the grammar names (`listing./proc`: processes by their number).
    ListingOf(&'static str),
    /// The output of the command it runs.
    Command,
    /// Not known; may pass on what it reads.
    #[default]
    Unknown,
}

impl Stdin {
    /// The one with that name in grammars.
    pub fn from_name(name: &str) -> Option<Stdin> {
        Some(match name {
            "ignored" => Stdin::Ignored,
            "data" => Stdin::Data,
            "sent" => Stdin::Sent,
            "secret" => Stdin::Secret,
            "args" => Stdin::Args,
            "command.list" => Stdin::CommandList,
            "items" => Stdin::Items,
            "unknown" => Stdin::Unknown,
            other => Stdin::Code(Language::from_name(other.strip_prefix("code.")?)?),
        })
    }
    /// Its name in grammars.
    pub fn name(self) -> std::borrow::Cow<'static, str> {
        match self {
            Stdin::Ignored => "ignored".into(),
            Stdin::Data => "data".into(),
            Stdin::Sent => "sent".into(),
            Stdin::Secret => "secret".into(),
            Stdin::Code(l) => format!("code.{l}").into(),
            Stdin::Args => "args".into(),
            Stdin::CommandList => "command.list".into(),
            Stdin::Items => "items".into(),
            Stdin::Unknown => "unknown".into(),
        }
    }
}

impl Stdout {
    /// The one with that name in grammars.
    pub fn from_name(name: &'static str) -> Option<Stdout> {
        Some(match name {
            "nothing" => Stdout::Nothing,
            "copy.stdin" => Stdout::CopyStdin,
            "content.operands" => Stdout::ContentOperands,
            "fetched" => Stdout::Fetched,
            "constant" => Stdout::Constant,
            "listing" => Stdout::Listing,
            "names" => Stdout::Names,
            "command" => Stdout::Command,
            "unknown" => Stdout::Unknown,
            other if other.starts_with("listing./") => Stdout::ListingOf(other.strip_prefix("listing.")?),
            other => Stdout::Transform(other.strip_prefix("transform.").filter(|t| !t.is_empty())?),
        })
    }
    /// Its name in grammars.
    pub fn name(self) -> std::borrow::Cow<'static, str> {
        match self {
            Stdout::Nothing => "nothing".into(),
            Stdout::CopyStdin => "copy.stdin".into(),
            Stdout::ContentOperands => "content.operands".into(),
            Stdout::Fetched => "fetched".into(),
            Stdout::Constant => "constant".into(),
            Stdout::Transform(t) => format!("transform.{t}").into(),
            Stdout::Listing => "listing".into(),
            Stdout::Names => "names".into(),
            Stdout::ListingOf(place) => format!("listing.{place}").into(),
            Stdout::Command => "command".into(),
            Stdout::Unknown => "unknown".into(),
        }
    }
}
