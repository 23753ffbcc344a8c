//! Code shared by all fuzz targets.

pub use libfuzzer_sys;
pub use zermelo_fuzz::{Body, HEAP, Heap};

/// Makes a program the fuzz target of a body.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        #[global_allocator]
        static ALLOCATOR: $crate::Heap = $crate::HEAP;

        $crate::libfuzzer_sys::fuzz_target!(init: $crate::one_thread(), |input: &[u8]| {
            static BODY: std::sync::LazyLock<&$crate::Body> =
                std::sync::LazyLock::new(|| $crate::Body::find($name).expect("it is listed"));
            BODY.run(input);
        });
    };
}

/// Limits parallel work to one thread: faster for little work, and repeatable.
pub fn one_thread() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread();
    pool.build_global().expect("nobody has made one before");
}
