//! Class mode, `serve --class`: a teacher's page that locks scores, sets a task, and shows who has
//! solved what.
//!
//! - `state`: the lock, the task and the students, in memory only.
//! - `participant`: the teacher or student who sends a request, and what pages show them.
//! - `routes`: the lock, the teacher's page, and the forms of teacher and students.

mod participant;
mod routes;
mod state;

pub use participant::{Participant, TEACHER};
pub use routes::with_class;
pub use state::Class;
