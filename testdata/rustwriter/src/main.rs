//! The reference implementation, crate safetensors, as a foreign writer and a foreign reader.
//!
//! ```text
//! rustwriter write DIR      write the files of DIR
//! rustwriter read FILE...   say what read_metadata makes of each file: one line of JSON per file
//! ```
//!
//! It is run by make.py. Nothing random may reach the files: the crate holds metadata in a HashMap
//! whose order differs from run to run, so no file here has more than one metadata key.

use safetensors::tensor::{serialize_to_file, Dtype, TensorView};
use safetensors::SafeTensors;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

/// Every dtype of the crate, in the order of its own table: narrow before wide. The enum is
/// non-exhaustive, so a new dtype does not break this list; make.py counts what comes out.
const DTYPES: [Dtype; 22] = [
    Dtype::BOOL,
    Dtype::F4,
    Dtype::F6_E2M3,
    Dtype::F6_E3M2,
    Dtype::U8,
    Dtype::I8,
    Dtype::F8_E5M2,
    Dtype::F8_E4M3,
    Dtype::F8_E8M0,
    Dtype::F8_E4M3FNUZ,
    Dtype::F8_E5M2FNUZ,
    Dtype::I16,
    Dtype::U16,
    Dtype::F16,
    Dtype::BF16,
    Dtype::I32,
    Dtype::U32,
    Dtype::F32,
    Dtype::C64,
    Dtype::F64,
    Dtype::I64,
    Dtype::U64,
];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((verb, [dir])) if verb == "write" => write(Path::new(dir)),
        Some((verb, files)) if verb == "read" => files.iter().try_for_each(|f| read(f)),
        _ => Err("usage: rustwriter write DIR | read FILE...".into()),
    }
}

/// Writes one tensor of every dtype, and a file without tensors.
fn write(dir: &Path) -> Result<(), Box<dyn Error>> {
    let tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = DTYPES
        .iter()
        .map(|&dtype| {
            let (shape, data) = patterns(dtype);
            (dtype.to_string().to_lowercase(), dtype, shape, data)
        })
        .collect();
    let mut views = Vec::new();
    for (name, dtype, shape, data) in &tensors {
        views.push((name, TensorView::new(*dtype, shape.clone(), data)?));
    }
    let metadata = HashMap::from([("format".to_string(), "rust".to_string())]);
    serialize_to_file(views, Some(metadata), &dir.join("dtypes.safetensors"))?;

    let none: Vec<(String, TensorView)> = Vec::new();
    serialize_to_file(none, None, &dir.join("nothing.safetensors"))?;
    Ok(())
}

/// The shape and bytes of the tensor of one dtype.
///
/// Up to 8 bits, it holds every bit pattern once, in ascending order, so that a decoder can be
/// checked whole; packed elements fill bytes from the least significant bit on. Wider ones hold
/// eight elements whose bytes count up, which shows at a glance where an element begins.
fn patterns(dtype: Dtype) -> (Vec<usize>, Vec<u8>) {
    match dtype.bitsize() {
        _ if dtype == Dtype::BOOL => (vec![2, 2], vec![0, 1, 1, 0]),
        bits @ (4 | 6) => (vec![4, 1 << (bits - 2)], pack(bits)),
        8 => (vec![16, 16], (0..=255).collect()),
        bits => (vec![2, 4], (0..bits as u8).collect()),
    }
}

/// Packs the codes 0, 1, ... of the given width, the first into the lowest bits.
fn pack(bits: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; (bits << bits) / 8];
    for code in 0..1usize << bits {
        for bit in 0..bits {
            let at = code * bits + bit;
            bytes[at / 8] |= ((code >> bit & 1) as u8) << (at % 8);
        }
    }
    bytes
}

/// Prints what the crate reads from the file's header: N, and the header as the crate writes it.
fn read(file: &str) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let (n, metadata) = SafeTensors::read_metadata(&bytes).map_err(|e| format!("{file}: {e}"))?;
    println!(
        "{{\"header_size\":{n},\"header\":{}}}",
        serde_json::to_string(&metadata)?
    );
    Ok(())
}
