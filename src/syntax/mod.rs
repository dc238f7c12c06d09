//! Text → typed tree. Knows nothing of programs or of danger; never fails, gives `Unparsed` regions with a reason.
//!
//! Floor 2; imports `source`, `limits`. One tree type ([`ast`]) for all shells and for both readers.

pub mod ast;
pub mod compact;
pub mod cover;
pub mod print;
pub mod shell;
