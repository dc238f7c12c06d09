//! What cannot be brought back: trees, devices, file systems, whole rights.
//!
//! In: deletions, moves, writes to devices, changes of rights, with the class of their paths. Out: findings of the
//! family *destruction*. What is deleted in the project, in temporary places and in caches is nobody's business.

use super::{Category, Draft, Facts, Findings, Rule, fix};
use crate::effect::path::{Class, Mark, Resolved, Start};
use crate::effect::{Effect, Props, Verb};
use crate::finding::{Confidence, Severity};
use crate::value::Why;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "recursive_delete_root",
        title: "Everything is deleted",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: true,
        description: "The whole file system is deleted: the machine and all data on it, mounted disks included. Name the \
                      directory that is meant, by its full path.",
        remediation: "Name the one directory that is meant.",
        good: &["rm -rf ./build", "echo 'rm -rf /'", "rm -rf node_modules", "rm a b c"],
        bad: &["rm -rf /", "rm -rf /*", "sudo rm -fr --no-preserve-root //", "find / -delete", "cd / && rm -rf *"],
        check: delete_root,
    },
    Rule {
        id: "recursive_delete_system",
        title: "System directory is deleted",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: true,
        description: "A directory that the system cannot work without is deleted. Remove software with the package \
                      manager, and name single files otherwise.",
        remediation: "Use the package manager, or name the file that is meant.",
        good: &["rm -rf /var/lib/apt/lists/*", "rm -f /etc/nginx/sites-enabled/default", "rm -rf /tmp/x"],
        bad: &["rm -rf /etc", "rm -rf /usr/*", "find /boot -delete", "rm -rf /home"],
        check: delete_system,
    },
    Rule {
        id: "recursive_delete_home",
        title: "Home directory is deleted",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: true,
        description: "A home is deleted with everything in it: documents, keys, settings. Name the directory in it that is \
                      meant.",
        remediation: "Name the directory that is meant.",
        good: &[
            "rm -rf ~/.cache/x",
            "rm -f ~/notes.txt",
            "rm -rf ~/proj/build",
            "find ~ -name '*.tmp' -type f -delete",
        ],
        bad: &[
            "rm -rf ~",
            "rm -rf ~/*",
            "rm -rf \"$HOME\"",
            "rm -rf /root",
            "find ~ -delete",
            "rm -rf /home/u/",
            "find ~ -type f -exec rm {} +",
            "for d in $(ls -A ~); do rm -rf ~/$d; done",
            "find ~ ! -name keep -delete",
        ],
        check: delete_home,
    },
    Rule {
        id: "recursive_delete_unset",
        title: "Deleted path hangs on a variable",
        severity: Severity::High,
        confidence: Confidence::Medium,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "The path begins with a value that is not known here: where it is empty, what is deleted is / or a \
                      system directory. Let the shell stop when it is unset: \"${NAME:?}/\".",
        remediation: "Write ${NAME:?} so that an empty value ends the command.",
        good: &["rm -rf \"$BUILD_DIR\"", "rm -rf \"$DIR/build\"", "rm -rf \"$TMPDIR/x\""],
        bad: &["rm -rf \"$UNSET/\"", "rm -rf $UNSET/*", "rm -rf \"$PREFIX/usr\""],
        check: delete_unset,
    },
    Rule {
        id: "recursive_delete",
        title: "Tree outside the project is deleted",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "A directory outside the project is deleted with everything in it, without a way back. Look at what is \
                      in it first, or move it away instead.",
        remediation: "List it first; move it away instead of deleting it.",
        good: &["rm -rf node_modules ./dist", "rm -rf /tmp/work", "rm -rf ~/.cache/pip", "rm -r ~/proj/old"],
        bad: &["rm -rf /srv/data", "rm -rf ~/Documents", "rm -rf ~/.ssh", "rm -rf ..", "rm -rf /var/lib/mysql"],
        check: delete_elsewhere,
    },
    Rule {
        id: "recursive_delete_project",
        title: "Everything in the project is deleted",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "Everything in the current directory is deleted, a repository's history included where it lies there. \
                      Name what is to go.",
        remediation: "Name the files and directories that are to go.",
        good: &["rm -rf ./build", "rm *.o", "rm -f *.log", "find . -type f -name '*.pyc' -delete"],
        bad: &["rm -rf .", "rm -rf ./*", "rm -rf *", "rm -rf .git"],
        check: delete_project,
    },
    Rule {
        id: "key_destroyed",
        title: "Private key is destroyed",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "A private key is deleted, emptied or overwritten: what it opens stays closed, and what it decrypts stays \
                      unread, for good. Move it away, or make sure that another copy works.",
        remediation: "Move it away, and delete it when another one is known to work.",
        good: &["rm -f ~/.ssh/known_hosts", "rm -f ./test_key", "ssh-keygen -R host", "truncate -s 0 /tmp/id_rsa"],
        bad: &["truncate -s 0 ~/.ssh/id_rsa", "rm -f ~/.ssh/id_ed25519", "shred -u ~/.ssh/id_rsa"],
        check: key_destroyed,
    },
    Rule {
        id: "device_write",
        title: "Raw device is overwritten",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1561.001"),
        floor: true,
        description: "A disk, volume or memory is written in the raw, past every file system: what is on it is lost. Write \
                      to a file, or make sure with lsblk which device it is and let a person do it.",
        remediation: "Write to an image file; let a person write devices.",
        good: &["echo x > /dev/null", "dd if=/dev/zero of=disk.img bs=1M count=1", "dd if=/dev/sda of=backup.img"],
        bad: &[
            "dd if=/dev/zero of=/dev/sda",
            "echo x > /dev/nvme0n1",
            "cat image.iso | tee /dev/sdb",
            "shred /dev/sda",
        ],
        check: write_device,
    },
    Rule {
        id: "device_format",
        title: "File system is made anew",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1561.002"),
        floor: true,
        description: "A file system or partition table is written anew: what was on the device is lost. Work on an image \
                      file, or let a person do it.",
        remediation: "Work on an image file; let a person format devices.",
        good: &["mkfs.ext4 disk.img"],
        bad: &["mkfs.ext4 /dev/sda1", "mkfs -t xfs \"$DEV\"", "wipefs -a /dev/sdb"],
        check: format_device,
    },
    Rule {
        id: "tree_overwritten",
        title: "Everything in a system tree or home is changed",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "Every file of the system, of a system directory or of a home is emptied, overwritten, edited in place or \
                      robbed of its rights: the machine stops working, and what the files held is lost. Name the files that \
                      are meant.",
        remediation: "Name the files that are meant.",
        good: &[
            "find . -name '*.rs' -exec sed -i s/a/b/ {} +",
            "find ~ -name '*.sh' -exec chmod +x {} +",
            "truncate -s 0 ~/x.log",
        ],
        bad: &["find / -exec truncate -s0 {} +", "find ~ -exec sed -i d {} +", "find /etc -exec chmod 000 {} +"],
        check: overwritten,
    },
    Rule {
        id: "tree_moved_away",
        title: "Directory of the system is moved away",
        severity: Severity::Critical,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1485"),
        floor: false,
        description: "A system directory or a home leaves its place, or a file is moved onto a device, where it is lost. \
                      Copy what is needed instead.",
        remediation: "Copy what is needed; move single files.",
        good: &["mv a b", "mv build /tmp/"],
        bad: &["mv ~ /dev/null", "mv /etc /tmp/x", "mv notes.txt /dev/null"],
        check: moved_away,
    },
    Rule {
        id: "recursive_rights",
        title: "Rights of a whole system tree change",
        severity: Severity::High,
        confidence: Confidence::High,
        category: Category::Destruction,
        mitre: Some("T1222.002"),
        floor: false,
        description: "Rights or owners change in a whole tree of the system or a home: programs stop working, and secrets \
                      become readable; the old state is not kept anywhere. Change the one file or directory that is meant.",
        remediation: "Change the one file or directory that is meant.",
        good: &["chmod -R u+w build", "chown -R www-data /var/www/html", "chmod +x run.sh"],
        bad: &["chmod -R 777 /", "chown -R nobody ~", "chmod -R 000 /etc"],
        check: recursive_rights,
    },
    Rule {
        id: "world_writable",
        title: "Writable for everyone",
        severity: Severity::Low,
        confidence: Confidence::High,
        category: Category::Privilege,
        mitre: Some("T1222.002"),
        floor: false,
        description: "Every user of the machine may change the file or directory, and with it what others run or read. Give \
                      rights to the owner or a group.",
        remediation: "Give rights to the owner or a group (u+w, g+w).",
        good: &["chmod 755 run.sh", "chmod u+w x", "chmod 1777 /tmp"],
        bad: &["chmod 777 run.sh", "chmod -R 777 data", "chmod o+w /srv/x"],
        check: world_writable,
    },
];

/// Deletions of a tree: deletions with everything below, and single ones of everything in a directory.
fn tree_deletes<'s, 'a>(facts: &'s Facts<'a>) -> impl Iterator<Item = (&'a Effect, &'s Resolved)> + 's {
    facts.with(&[Verb::Delete]).filter_map(move |e| {
        let p = facts.path(e).filter(|_| !facts.contained(e))?;
        let tree = e.props.has(Props::RECURSIVE) || e.props.has(Props::WIPE) || p.contents;
        // `rm -ri *` asks a person about each file.
        // What its program keeps where something would be lost (`git worktree remove`) is not gone.
        let kept = e.props.has(Props::RECOVERABLE);
        (tree && !kept && !facts.asks(e)).then_some((e, p))
    })
}

/// Those that spare nothing: what a pattern chooses (`find ~ -name '*.pyc' -delete`) is not the whole.
fn whole_deletes<'s, 'a>(facts: &'s Facts<'a>) -> impl Iterator<Item = (&'a Effect, &'s Resolved)> + 's {
    tree_deletes(facts).filter(|(e, _)| !facts.is_filtered(e))
}

fn draft<'f, 'a>(facts: &'f Facts<'a>, rule: &'static Rule, e: &Effect, p: &Resolved) -> Draft<'f, 'a> {
    rule.about(facts, e)
        .title(format!("{}: {}", rule.title, p.text))
        .evidence_as("path", "is deleted", &p.text, e.place)
        .detail("class", p.class.name())
}

fn delete_root(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, p) in whole_deletes(facts).filter(|(_, p)| p.class == Class::Root) {
        out.add(draft(facts, rule, e, p));
    }
    // Everything in a container or virtual machine is less than the machine, but still everything there.
    for e in facts.with(&[Verb::Delete]).filter(|e| facts.contained(e) && e.props.has(Props::RECURSIVE)) {
        let Some(p) = facts.path(e).filter(|p| p.class == Class::Root && !facts.is_filtered(e)) else { continue };
        out.add(draft(facts, rule, e, p).severity(Severity::High).floor(false));
    }
}

fn delete_system(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, p) in whole_deletes(facts).filter(|(_, p)| matches!(p.class, Class::SystemDirectory | Class::Homes)) {
        out.add(draft(facts, rule, e, p));
    }
}

fn delete_home(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, p) in whole_deletes(facts).filter(|(_, p)| p.class == Class::Home) {
        // A home that is named may be that of an account which is to go; one's own and root's never are.
        let named = matches!(&p.start, Start::Home(n) if !n.is_empty() && n != "root");
        out.add(draft(facts, rule, e, p).floor(!named));
    }
}

fn delete_unset(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, p) in whole_deletes(facts) {
        let severity = match p.if_empty {
            Some(Class::Root) => Severity::High,
            Some(Class::SystemDirectory | Class::Home | Class::Homes) => Severity::Medium,
            _ => continue,
        };
        if !matches!(&p.start, Start::Unknown(Why::Environment(_) | Why::Parameter(_)) | Start::Root) {
            continue;
        }
        out.add(draft(facts, rule, e, p).severity(severity).fix(fix::must_be_set(facts, e)));
    }
}

fn delete_elsewhere(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for (e, p) in tree_deletes(facts) {
        let precious = p.marks.any(&[Mark::Credential, Mark::UserData, Mark::Log, Mark::Boot, Mark::Agent]);
        let severity = match p.class {
            _ if p.if_empty.is_some_and(|c| c >= Class::Home) => continue,
            Class::Project | Class::ProjectRoot | Class::Temporary | Class::Cache | Class::HarmlessDevice => continue,
            // `xargs -a list rm -rf`: whatever a file names, which nobody has read.
            Class::Unknown if from_list(p) && e.props.has(Props::RECURSIVE) => Severity::Low,
            Class::Unknown | Class::Network => continue,
            // What a pattern chooses is lost from all over the machine, but not the machine.
            Class::Root if facts.is_filtered(e) => Severity::Medium,
            Class::Root | Class::SystemDirectory | Class::Homes | Class::Home | Class::Device => continue,
            _ if facts.is_filtered(e) => continue,
            // All files of a tree that is nobody's treasure.
            _ if facts.spares_little(e) && !precious => continue,
            Class::HomeContent | Class::HomeDotfile if !precious => continue,
            Class::HomeContent | Class::HomeDotfile => Severity::High,
            // `rm -rf ../x` is a neighbour of the project; `rm -rf ..` is the project and all of them.
            Class::Outside if p.ups > 0 && p.depth() > 0 => Severity::Low,
            Class::Outside if p.ups > 0 => Severity::High,
            Class::Outside | Class::SystemContent | Class::Kernel if precious => Severity::High,
            // A mirror deletes what its source has not: `rsync -a --delete site/ /srv/site/`.
            Class::Outside if is_mirror(facts, e, p) => continue,
            Class::Outside | Class::SystemContent | Class::Kernel => rule.severity,
        };
        out.add(draft(facts, rule, e, p).severity(severity));
    }
}

fn overwritten(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    let mut seen = std::collections::HashSet::new();
    for e in facts.with(&[Verb::Write, Verb::Update, Verb::Mode]) {
        let Some(p) = facts.path(e).filter(|p| p.contents && !facts.contained(e)) else { continue };
        // A home that is named may be that of a service, whose files are its own.
        let named = matches!(&p.start, Start::Home(n) if !n.is_empty() && n != "root");
        let whole = matches!(p.class, Class::Root | Class::SystemDirectory | Class::Homes | Class::Home) && !named;
        // All files of all kinds that somebody listed, not those of one name or pattern.
        let all = facts.lists_above(e) && !facts.is_filtered(e) && !facts.asks(e);
        if whole && all && seen.insert(e.process) {
            out.add(rule.about(facts, e).title(format!("{}: {}", rule.title, p.text)).evidence_as(
                "path",
                "is changed",
                &p.text,
                e.place,
            ));
        }
    }
}

/// True for names that stand in a file.
fn from_list(p: &Resolved) -> bool {
    matches!(&p.start, Start::Unknown(Why::File(_)))
}

/// True where the process that deletes also writes there.
fn is_mirror(facts: &Facts<'_>, e: &Effect, p: &Resolved) -> bool {
    facts.with(&[Verb::Write]).any(|w| w.process == e.process && facts.path(w).is_some_and(|q| q.text == p.text))
}

fn delete_project(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // Which kinds of files go is a choice in a project; elsewhere it is hardly one.
    for (e, p) in whole_deletes(facts).filter(|(e, _)| e.props.has(Props::RECURSIVE) && !facts.spares_little(e)) {
        let history = p.class == Class::Project && p.marks.has(Mark::UserData);
        if (p.class == Class::ProjectRoot || history) && !p.text.is_empty() {
            out.add(draft(facts, rule, e, p));
        }
    }
}

fn key_destroyed(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Delete, Verb::Write, Verb::Update]).filter(|e| !facts.contained(e) && !facts.asks(e)) {
        if e.verb != Verb::Delete && !facts.props(e).has(Props::WIPE) {
            continue;
        }
        let theirs = |p: &&Resolved| matches!(p.class, Class::HomeDotfile | Class::SystemContent);
        let key = |p: &&Resolved| p.what.is_some_and(|w| w.starts_with(PRIVATE_KEY)) && p.is_known();
        let Some(p) = facts.path(e).filter(theirs).filter(key) else { continue };
        out.add(draft(facts, rule, e, p).severity(rule.severity));
    }
}

/// How the list of places begins to say what a private key is.
const PRIVATE_KEY: &str = "a private key";

fn write_device(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    // A check or a label changes a file system in place, as its own tools do; what is written raw is lost.
    for e in facts.with(&[Verb::Write, Verb::Append, Verb::Delete, Verb::Move]) {
        let to = if e.verb == Verb::Move { facts.other_path(e) } else { facts.path(e) };
        let Some(p) = to.filter(|p| p.class == Class::Device && !facts.contained(e)) else { continue };
        if e.verb == Verb::Delete && !e.props.has(Props::WIPE) {
            continue;
        }
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, p.text))
                .evidence_as("path", "is overwritten", &p.text, e.place)
                .detail("class", p.what.unwrap_or(p.class.name())),
        );
    }
}

fn format_device(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Format]) {
        // A partition editor that talks with a person writes nothing by itself.
        if facts.contained(e) || facts.asks(e) {
            continue;
        }
        let (shown, class) = match facts.path(e) {
            Some(p) => (p.text.clone(), p.class),
            None => (e.object.show(), Class::Unknown),
        };
        // A file is formatted as an image of a disk.
        if class.is_local() || matches!(class, Class::Outside | Class::HomeContent | Class::SystemContent) {
            continue;
        }
        out.add(rule.about(facts, e).title(format!("{}: {shown}", rule.title)).evidence_as(
            "path",
            "is formatted",
            shown,
            e.place,
        ));
    }
}

fn moved_away(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Move]) {
        let Some(p) = facts.path(e).filter(|_| !facts.contained(e)) else { continue };
        let lost = facts.other_path(e).is_some_and(|o| o.class == Class::HarmlessDevice);
        // What is moved there is gone at the next start.
        let passing = facts.other_path(e).is_some_and(|o| o.class == Class::Temporary);
        // `mv ~/* /backup` empties a home into a place where everything still is.
        let whole = matches!(p.class, Class::Root | Class::SystemDirectory | Class::Home | Class::Homes)
            && (lost || !p.contents || passing)
            && !facts.is_filtered(e);
        let keys = passing && p.marks.has(Mark::Credential) && p.class == Class::HomeDotfile;
        let (title, severity) = match (whole, lost, keys) {
            (true, ..) => (rule.title, rule.severity),
            (_, true, _) => ("File is moved onto a device", Severity::High),
            (.., true) => ("Keys are moved to where nothing stays", Severity::Medium),
            _ => continue,
        };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", title, p.text))
                .severity(severity)
                .floor(whole && lost)
                .evidence_as("path", "leaves its place", &p.text, e.place),
        );
    }
}

fn recursive_rights(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Mode, Verb::Owner]).filter(|e| e.props.has(Props::RECURSIVE)) {
        let Some(p) = facts.path(e).filter(|_| !facts.contained(e)) else { continue };
        if matches!(p.class, Class::Root | Class::SystemDirectory | Class::Home | Class::Homes) {
            out.add(
                rule.about(facts, e)
                    .title(format!("{}: {}", rule.title, p.text))
                    .severity(if p.class == Class::Root { Severity::Critical } else { rule.severity })
                    .evidence_as("path", "changes with everything below", &p.text, e.place),
            );
        }
    }
}

fn world_writable(facts: &Facts<'_>, rule: &'static Rule, out: &mut Findings) {
    for e in facts.with(&[Verb::Mode]).filter(|e| e.props.has(Props::WORLD_WRITABLE)) {
        let Some(p) = facts.path(e).filter(|_| !facts.contained(e)) else { continue };
        // What a build obeys is the project's.
        let system = p.class >= Class::Kernel || p.marks.iter().any(|m| m != Mark::Build);
        if matches!(p.class, Class::Temporary | Class::HarmlessDevice) {
            continue;
        }
        // What a test chose in the project, or a list of files that is not known, is rarely a way in.
        let vague = facts.is_filtered(e) && p.class == Class::Project || p.class == Class::Unknown;
        let severity = match (system, vague) {
            (true, _) => Severity::High,
            (false, true) => Severity::Info,
            (false, false) => rule.severity,
        };
        out.add(
            rule.about(facts, e)
                .title(format!("{}: {}", rule.title, p.text))
                .severity(severity)
                .evidence_as("path", "becomes writable for everyone", &p.text, e.place)
                .fix(fix::own_rights(facts, e)),
        );
    }
}
