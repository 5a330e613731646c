//! Writes and reads files with the reference implementation, crate safetensors, for comparison by interop.py.
//!
//! ```text
//! interop write CASES DIR    write each case of the file CASES to DIR
//! interop read FILE...       print the contents of each file as one line of JSON
//! ```

use safetensors::tensor::{serialize_to_file, Dtype, TensorView};
use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

/// A tensor, as an input or a result. Data is in hexadecimal.
#[derive(Deserialize, Serialize)]
struct Tensor {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    data: String,
}

/// The contents of a file.
#[derive(Serialize)]
struct Content {
    metadata: Option<HashMap<String, String>>,
    tensors: Vec<Tensor>,
}

/// A content to write. The crate ignores the other members of a case.
#[derive(Deserialize)]
struct Case {
    case: String,
    metadata: Option<HashMap<String, String>>,
    tensors: Vec<Tensor>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((verb, [cases, dir])) if verb == "write" => write(cases, Path::new(dir)),
        Some((verb, files)) if verb == "read" => files.iter().try_for_each(|f| read(f)),
        _ => Err("usage: interop write CASES DIR | read FILE...".into()),
    }
}

fn write(cases: &str, dir: &Path) -> Result<(), Box<dyn Error>> {
    for line in std::fs::read_to_string(cases)?.lines() {
        let case: Case = serde_json::from_str(line)?;
        let data: Vec<Vec<u8>> = case.tensors.iter().map(|t| unhex(&t.data)).collect();
        let mut views = Vec::new();
        for (t, data) in case.tensors.iter().zip(&data) {
            views.push((&t.name, TensorView::new(t.dtype, t.shape.clone(), data)?));
        }
        let file = dir.join(format!("{}.safetensors", case.case));
        serialize_to_file(views, case.metadata, &file)?;
    }
    Ok(())
}

fn read(file: &str) -> Result<(), Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(|e| format!("{file}: {e}"))?;
    let tensors = SafeTensors::deserialize(&bytes).map_err(|e| format!("{file}: {e}"))?;
    let content = Content {
        metadata: metadata.metadata().clone(),
        tensors: tensors
            .tensors()
            .into_iter()
            .map(|(name, view)| Tensor {
                name,
                dtype: view.dtype(),
                shape: view.shape().to_vec(),
                data: hex(view.data()),
            })
            .collect(),
    };
    println!("{}", serde_json::to_string(&content)?);
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|b| {
            [
                DIGITS[(b >> 4) as usize] as char,
                DIGITS[(b & 15) as usize] as char,
            ]
        })
        .collect()
}

/// Decodes hexadecimal digits. They come from interop.py and are valid.
fn unhex(digits: &str) -> Vec<u8> {
    let value = |c: u8| (c as char).to_digit(16).expect("a hexadecimal digit") as u8;
    digits
        .as_bytes()
        .chunks(2)
        .map(|c| value(c[0]) << 4 | value(c[1]))
        .collect()
}
