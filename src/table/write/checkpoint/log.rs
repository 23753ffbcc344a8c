//! A file of records that are appended one by one, and read back as far as they are whole.

use crate::work::disk::File;
use serde::Serialize;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The file. Each record is a line: the CRC-32 of what follows in 8 hexadecimal digits, a space,
/// and JSON.
pub struct Log {
    file: File,
    length: u64,
    has_more: bool,
}

/// A record's JSON, and where it ends in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub json: String,
    end: u64,
}

impl Log {
    /// An empty file.
    pub fn create(path: &Path) -> io::Result<Log> {
        Ok(Log {
            file: File::create(path)?,
            length: 0,
            has_more: false,
        })
    }

    /// A file that an earlier run has left, and its records up to the first that is not whole.
    pub fn reopen(path: &Path) -> io::Result<(Log, Vec<Record>)> {
        let mut file = File::reopen(path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let mut end = 0;
        let records: Vec<Record> = text
            .split_inclusive(|&byte| byte == b'\n')
            .map_while(|line| {
                end += line.len() as u64;
                let json = whole(line)?.to_owned();
                Some(Record { json, end })
            })
            .collect();
        let whole = records.last().map_or(0, |last| last.end as usize);
        let log = Log {
            file,
            length: text.len() as u64,
            // The last line may have been cut short by the end of the run, but not one that others
            // follow.
            has_more: text[whole..].contains(&b'\n'),
        };
        Ok((log, records))
    }

    /// Whether there is more than a line cut short after the last record that is whole.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Drops all that follows a record.
    pub fn cut_back(&mut self, last: &Record) -> io::Result<()> {
        self.length = last.end;
        self.file.set_len(self.length)
    }

    pub fn append(&mut self, record: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string(record)?;
        let line = format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()));
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.write_all(line.as_bytes())?;
        self.length += line.len() as u64;
        Ok(())
    }

    /// Another handle of the file.
    pub fn handle(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

/// The JSON of a line that has its end and the right checksum.
fn whole(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (crc, json) = line.split_once(' ')?;
    let crc = u32::from_str_radix(crc, 16).ok()?;
    (crc == crc32fast::hash(json.as_bytes())).then_some(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_records_come_back_and_no_others() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("log");
        let mut log = Log::create(&path).unwrap();
        for number in 0..3 {
            log.append(&[number, number]).unwrap();
        }
        let text = std::fs::read(&path).unwrap();
        let jsons = |text: &[u8]| -> Vec<String> {
            std::fs::write(&path, text).unwrap();
            let (_, records) = Log::reopen(&path).unwrap();
            records.into_iter().map(|record| record.json).collect()
        };
        let all = ["[0,0]", "[1,1]", "[2,2]"];
        assert_eq!(jsons(&text), all);
        let line = text.len() / 3;
        for at in 0..text.len() {
            assert_eq!(jsons(&text[..at]), all[..at / line], "cut at {at}");
            for bit in 0..8 {
                let mut flipped = text.clone();
                flipped[at] ^= 1 << bit;
                // A hexadecimal digit may be of either case.
                let found = jsons(&flipped);
                assert!(found == all[..at / line] || found == all, "{at} {bit}");
            }
        }
    }

    #[test]
    fn a_log_goes_on_after_the_record_it_was_cut_back_to() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("log");
        let mut log = Log::create(&path).unwrap();
        for number in 0..3 {
            log.append(&number).unwrap();
        }
        drop(log);
        let (mut log, records) = Log::reopen(&path).unwrap();
        log.cut_back(&records[0]).unwrap();
        log.append(&9).unwrap();
        let (_, records) = Log::reopen(&path).unwrap();
        let jsons: Vec<&str> = records.iter().map(|record| &record.json[..]).collect();
        assert_eq!(jsons, ["0", "9"]);
    }
}
