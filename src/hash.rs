//! A hash of names, byte by byte, for tables that the build makes and the library asks. The build shares this file.

/// What a hash begins with (FNV-1a).
pub(crate) const START: u32 = 0x811c_9dc5;

/// Adds a byte. All bits of the result count.
pub(crate) fn add(hash: u32, byte: u8) -> u32 {
    let mixed = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    mixed ^ (mixed >> 15)
}
