//! Which positions are asked about, and who hands them out.

pub(in crate::check) mod play;
pub(in crate::check) mod sample;
pub(in crate::check) mod team;
pub(in crate::check) mod walk;
