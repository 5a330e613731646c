//! The reference implementation, crate safetensors, as a peer in the benchmarks.
//!
//! ```text
//! peer header FILE ITERS        read_metadata on a header in memory
//! peer open FILE NAME ITERS     open, map, deserialize, and read every byte of one tensor
//! peer write FILE OUT ITERS     serialize_to_file of FILE's tensors from memory to OUT
//! peer writesync FILE OUT ITERS the same, and wait for the disk
//! ```
//!
//! Each prints one line of JSON, in which "ns" is the mean time of one iteration.

use memmap2::Mmap;
use safetensors::{serialize_to_file, SafeTensors};
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["header", file, iters] => header(file, iters.parse()?),
        ["open", file, name, iters] => open(file, name, iters.parse()?),
        ["write", file, out, iters] => write(file, out, iters.parse()?, false),
        ["writesync", file, out, iters] => write(file, out, iters.parse()?, true),
        _ => Err("usage: peer VERB ARGS..., as its first lines have it".into()),
    }
}

/// Times read_metadata. It requires a buffer as long as the file, so the file is mapped. The header's pages
/// are touched first, and those of the data never. The time excludes freeing the result.
fn header(file: &str, iters: u32) -> Result<()> {
    let map = map(file)?;
    let n = u64::from_le_bytes(map[..8].try_into()?) as usize;
    black_box(sum(&map[8..8 + n]));

    let tensors = SafeTensors::read_metadata(&map)?.1.tensors().len();
    let (mut parsing, mut dropping) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..iters {
        let start = Instant::now();
        let metadata = black_box(SafeTensors::read_metadata(black_box(&map))?);
        let parsed = Instant::now();
        drop(metadata);
        parsing += parsed - start;
        dropping += parsed.elapsed();
    }
    println!(
        "{{\"ns\":{},\"drop_ns\":{},\"tensors\":{tensors},\"header\":{n}}}",
        parsing.as_nanos() as f64 / f64::from(iters),
        dropping.as_nanos() as f64 / f64::from(iters),
    );
    Ok(())
}

/// Times opening a path and summing one tensor's bytes.
fn open(file: &str, name: &str, iters: u32) -> Result<()> {
    let once = || -> Result<(u64, usize)> {
        let map = map(file)?;
        let tensors = SafeTensors::deserialize(&map)?;
        let data = tensors.tensor(name)?.data();
        Ok((sum(data), data.len()))
    };
    let (_, bytes) = once()?;
    let start = Instant::now();
    for _ in 0..iters {
        black_box(once()?);
    }
    let ns = start.elapsed().as_nanos() as f64 / f64::from(iters);
    println!("{{\"ns\":{ns},\"bytes\":{bytes}}}");
    Ok(())
}

/// Times the creation of a file that does not exist, on an idle disk.
fn write(file: &str, out: &str, iters: u32, sync: bool) -> Result<()> {
    let bytes = std::fs::read(file)?;
    let tensors = SafeTensors::deserialize(&bytes)?;
    let out = Path::new(out);
    let mut total = Duration::ZERO;
    for _ in 0..iters {
        _ = std::fs::remove_file(out);
        Command::new("sync").status()?;
        let start = Instant::now();
        serialize_to_file(tensors.tensors(), None, out)?;
        if sync {
            File::open(out)?.sync_all()?;
        }
        total += start.elapsed();
    }
    let ns = total.as_nanos() as f64 / f64::from(iters);
    println!("{{\"ns\":{ns},\"bytes\":{}}}", std::fs::metadata(out)?.len());
    std::fs::remove_file(out)?;
    Ok(())
}

fn map(file: &str) -> Result<Mmap> {
    // SAFETY: nothing changes the file while the benchmarks run.
    Ok(unsafe { Mmap::map(&File::open(file)?)? })
}

/// Adds eight bytes at a time and ignores up to seven at the end. It reads every page, and adding costs little
/// compared with reading.
fn sum(bytes: &[u8]) -> u64 {
    bytes.chunks_exact(8).fold(0, |sum, word| {
        sum.wrapping_add(u64::from_le_bytes(word.try_into().unwrap()))
    })
}
