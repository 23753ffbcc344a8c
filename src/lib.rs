//! Zermelo strongly solves small two-player games.


pub mod game;
pub mod games;
pub mod search;
pub mod solve;
pub mod table;
