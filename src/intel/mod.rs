//! What is known of indicators: names of packages that many use, and signed threat data.
//!
//! Feeds ([`feed`]) → indicators ([`indicator`]) → a database ([`db`]) → the databases in use ([`store`]), which rules
//! ask. Imports `url` and `time`, and of `effect` the macro for closed lists. It judges nothing, and reaches no network.

pub mod db;
pub mod ecosystem;
pub mod feed;
pub mod indicator;
pub mod names;
pub mod store;
