//! The explorer: pages for people and an API for programs.
//!
//! ```text
//! server ──► http ──► api · pages ──► visit ──► registry · jobs (searches)
//! ```
//!
//! `server` is the command `serve`. `http` has the rules for all requests and responses. `visit`
//! reads the parameters of a request, finds the game and its oracle in the registry, or queues a
//! search. `ais` has the AIs to play against. `host` does the work that takes long.

mod address;
mod ais;
mod api;
mod class;
mod explorer;
mod host;
mod http;
mod jobs;
mod pages;
mod problem;
mod puzzles;
mod registry;
mod server;
mod visit;

pub use server::{describe, run};
