#![no_main]

zermelo_fuzz_targets::target!("list");
