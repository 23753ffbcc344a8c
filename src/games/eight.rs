//! The game "Eight", a small worked example.
