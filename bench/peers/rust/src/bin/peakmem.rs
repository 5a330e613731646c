//! The memory that the reference implementation needs to read a header.
//!
//! ```text
//! peakmem FILE      print the peak of bytes allocated, and the number of allocations
//! ```
//!
//! This is a separate program because counting slows down the allocator, which the timed peer must not pay for.

use memmap2::Mmap;
use safetensors::SafeTensors;
use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Counting;

impl Counting {
    fn grow(&self, size: usize) {
        let now = NOW.fetch_add(size, Relaxed) + size;
        PEAK.fetch_max(now, Relaxed);
        COUNT.fetch_add(1, Relaxed);
    }
}

// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.grow(layout.size());
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        System.dealloc(p, layout)
    }

    /// Counts the new size instead of the old one, as if no block ever moved, so the peak is not overstated.
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        NOW.fetch_sub(layout.size(), Relaxed);
        self.grow(size);
        System.realloc(p, layout, size)
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: peakmem FILE")?;
    // SAFETY: nothing changes the file while the benchmarks run.
    let map = unsafe { Mmap::map(&File::open(file)?)? };
    let (before, allocations) = (NOW.load(Relaxed), COUNT.load(Relaxed));
    PEAK.store(before, Relaxed);
    let (n, metadata) = SafeTensors::read_metadata(&map)?;
    let (peak, kept) = (PEAK.load(Relaxed) - before, NOW.load(Relaxed) - before);
    let allocations = COUNT.load(Relaxed) - allocations;
    println!(
        "{{\"bytes\":{peak},\"kept\":{kept},\"allocs\":{allocations},\"tensors\":{},\"header\":{n}}}",
        metadata.tensors().len()
    );
    Ok(())
}
