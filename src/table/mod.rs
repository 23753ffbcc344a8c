//! The table file: format, writer, reader, verifier.
