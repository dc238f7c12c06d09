//! The kinds of entries that the list of places has: marks, areas, anchors.
//!
//! Floor 3; imports nothing, so that `build.rs`, which makes the tables, can share the file.

macro_rules! marks {
    ($($(#[$m:meta])* $variant:ident = $text:literal,)+) => {
        /// What a place is known for, next to its class.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Mark { $($(#[$m])* $variant,)+ }
        impl Mark {
            /// Every one of them.
            pub const ALL: &'static [Mark] = &[$(Mark::$variant,)+];
            /// Its name in the list and in output.
            pub const fn name(self) -> &'static str {
                match self { $(Mark::$variant => $text,)+ }
            }
            /// The one with that name in the list.
            pub(crate) fn from_name(name: &str) -> Option<Mark> {
                match name { $($text => Some(Mark::$variant),)+ _ => None }
            }
        }
    };
}

marks! {
    /// Secrets: keys, tokens, passwords.
    Credential = "credential",
    /// A shell runs it when it starts.
    ShellStartup = "shell-startup",
    /// Runs at login, for a desktop session or at boot.
    LoginStartup = "login-startup",
    /// Cron, timers.
    Schedule = "schedule",
    /// Units and init scripts.
    Service = "service",
    /// Says who may log in.
    SshAccess = "ssh-access",
    /// Says who may become root.
    Privilege = "privilege",
    /// Users, groups, password hashes.
    Accounts = "accounts",
    /// Code that is loaded into other programs.
    Loader = "loader",
    /// Names and routes of the network.
    Resolver = "resolver",
    /// Code or settings that a version control system runs.
    RepositoryHook = "repository-hook",
    /// What the machine starts from.
    Boot = "boot",
    /// Records of what was done.
    Log = "log",
    /// What a shell remembers of commands.
    History = "history",
    /// Settings of coding agents, of their hooks and of this gate.
    Agent = "agent",
    /// Where an agent keeps its settings.
    AgentHome = "agent-home",
    /// Where people keep their own files.
    UserData = "user-data",
    /// Memory and environment of other processes.
    ProcessMemory = "process-memory",
    /// Gives the rights of the container daemon.
    ContainerSocket = "container-socket",
    /// Settings of what protects the machine.
    Guard = "guard",
    /// Certificates that the machine trusts.
    Trust = "trust",
    /// Keys that say whose packages are taken.
    Keys = "keys",
    /// A write makes the kernel do something to the whole machine.
    Switch = "switch",
    /// Mail of users.
    Mailbox = "mailbox",
    /// Programs and libraries that everybody runs.
    Program = "program",
    /// Programs that are found by their names alone, beside those of the system.
    SearchPath = "search-path",
    /// What build tools, test runners and package managers run or obey in a project.
    Build = "build",
    /// Settings of programs that say what these run, what they trust and where they get things.
    Settings = "settings",
}

/// How an entry classes the place it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    System,
    Homes,
    Outside,
    Temporary,
    Cache,
    Kernel,
    Device,
    Harmless,
    /// Nothing there is secret, whatever its name looks like: cancels [`Mark::Credential`].
    Public,
}

impl Area {
    /// The one with that name in the list.
    pub(crate) fn from_name(name: &str) -> Option<Area> {
        Some(match name {
            "system" => Area::System,
            "homes" => Area::Homes,
            "outside" => Area::Outside,
            "temporary" => Area::Temporary,
            "cache" => Area::Cache,
            "kernel" => Area::Kernel,
            "device" => Area::Device,
            "harmless" => Area::Harmless,
            "public" => Area::Public,
            _ => return None,
        })
    }
    /// True where an entry stands for the place alone, not for what lies below it.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Area::Device | Area::Harmless)
    }
}

/// Where a pattern begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Root,
    Home,
    Anywhere,
}
