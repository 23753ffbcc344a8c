//! Passes on the path of the explorer for browsers, if `tools/web` has built it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ZERMELO_WEB_MODULE");
    println!("cargo::rustc-check-cfg=cfg(web_module)");
    if let Ok(path) = std::env::var("ZERMELO_WEB_MODULE") {
        println!("cargo::rerun-if-changed={path}");
        println!("cargo::rustc-cfg=web_module");
        println!("cargo::rustc-env=ZERMELO_WEB_MODULE={path}");
    }
}
