//! The compact binary form of grammars: what `build.rs` writes and the program reads.
//!
//! Floor 4; imports nothing but the role list, so that `build.rs` shares the file. Lists are a length and their items,
//! numbers are LEB128, texts are a length and UTF-8. Reading never fails loudly: a form that does not fit gives `None`.

use crate::command::role::Role;

/// A value with a binary form.
pub trait Coded: Sized {
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads one; `None` where the bytes are no such value.
    fn take(from: &mut Bytes) -> Option<Self>;
}

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub &'static [u8]);

impl Bytes {
    fn one(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }
    /// The next `n` bytes.
    pub fn run(&mut self, n: usize) -> Option<&'static [u8]> {
        let (run, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(run)
    }
}

impl Coded for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        let mut n = *self;
        while n >= 0x80 {
            out.push((n & 0x7f) as u8 | 0x80);
            n >>= 7;
        }
        out.push(n as u8);
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        let mut n = 0u64;
        for shift in (0..64).step_by(7) {
            let b = from.one()?;
            n |= u64::from(b & 0x7f) << shift;
            if b < 0x80 {
                return Some(n);
            }
        }
        None
    }
}

impl Coded for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        Some(from.one()? != 0)
    }
}

impl Coded for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        from.one()
    }
}

impl Coded for &'static str {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        let n = usize::try_from(u64::take(from)?).ok()?;
        std::str::from_utf8(from.run(n)?).ok()
    }
}

impl<T: Coded> Coded for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        for item in self {
            item.put(out);
        }
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        let n = usize::try_from(u64::take(from)?).ok()?;
        // Every item takes a byte at least, so a wrong length cannot ask for more memory than there are bytes.
        let mut all = Vec::with_capacity(n.min(from.0.len()));
        for _ in 0..n {
            all.push(T::take(from)?);
        }
        Some(all)
    }
}

impl<T: Coded> Coded for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(v) = self {
            v.put(out);
        }
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        if bool::take(from)? { T::take(from).map(Some) } else { Some(None) }
    }
}

impl Coded for Role {
    fn put(&self, out: &mut Vec<u8>) {
        match self.code() {
            Some(c) => c.put(out),
            None => {
                u8::MAX.put(out);
                let name: &'static str = Box::leak(self.name().into_owned().into_boxed_str());
                name.put(out);
            }
        }
    }
    fn take(from: &mut Bytes) -> Option<Self> {
        match u8::take(from)? {
            u8::MAX => Role::from_name(<&'static str>::take(from)?),
            c => Role::from_code(c),
        }
    }
}

/// Makes structs whose binary form is a mask of the fields that differ from their default (at most 64 fields), and those.
/// Most options have a name and nothing else.
macro_rules! coded {
    ($($(#[$m:meta])* struct $name:ident { $($(#[$fm:meta])* $field:ident: $ty:ty,)* })*) => { $(
        $(#[$m])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$fm])* pub $field: $ty,)* }
        impl $crate::command::grammar::code::Coded for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let default = $name::default();
                let given = [$(self.$field != default.$field,)*];
                given.iter().rev().fold(0u64, |mask, g| mask << 1 | u64::from(*g)).put(out);
                $(if self.$field != default.$field { self.$field.put(out); })*
            }
            fn take(from: &mut $crate::command::grammar::code::Bytes) -> Option<Self> {
                let mut mask = u64::take(from)?;
                let mut given = || {
                    let g = mask & 1 == 1;
                    mask >>= 1;
                    g
                };
                Some($name { $($field: if given() {
                    <$ty as $crate::command::grammar::code::Coded>::take(from)?
                } else {
                    <$ty>::default()
                },)* })
            }
        }
    )* };
}

/// Makes enums without data whose binary form is their number; each has a name in grammars.
macro_rules! coded_enum {
    ($($(#[$m:meta])* enum $name:ident { $($(#[$vm:meta])* $variant:ident = $text:literal,)+ })*) => { $(
        $(#[$m])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub enum $name { $($(#[$vm])* $variant,)+ }
        impl $name {
            /// Every one of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];
            /// Its name in grammars.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }
            /// The one with that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|v| v.name() == name)
            }
        }
        impl $crate::command::grammar::code::Coded for $name {
            fn put(&self, out: &mut Vec<u8>) { out.push(*self as u8); }
            fn take(from: &mut $crate::command::grammar::code::Bytes) -> Option<Self> {
                Self::ALL.get(usize::from(u8::take(from)?)).copied()
            }
        }
    )* };
}

pub(crate) use {coded, coded_enum};
