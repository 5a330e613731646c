// The file of a download: what is in it, and writing to it.

// Package partial keeps the bytes of unfinished downloads. Any process can continue the download of
// one that was killed, and two processes never write one file at the same time.
//
// Until the output file is complete, its folder has two hidden files. One has the bytes. The other
// is the record, which the process at work locks: for each block of 1 MiB, how many of its first
// bytes are present, and their CRC-32C, computed when the bytes arrive. Blocks that do not match it
// later, for example after a power failure, are downloaded again, or are an error.
package partial

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"sync"
	"time"
)

const (
	blockSize = 1 << 20
	entrySize = 8 // bytes of the record for a block: number of bytes and checksum, both uint32

	// flushTime is how long the record of a block may be out of date. A process that is
	// killed loses the bytes that arrived within this time.
	flushTime = 200 * time.Millisecond

	// overlap is the number of bytes that are compared before a download is continued.
	overlap = 64 << 10
)

// castagnoli returns the table of CRC-32C, which is made once.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// ErrDiffers means that bytes which were downloaded twice differ.
var ErrDiffers = errors.New("the bytes differ from those that were downloaded before")

// A File is the file of an unfinished download. This process is its only writer. A File is safe
// for concurrent use.
type File struct {
	path string // of the output file
	name string // of the hidden file
	size int64
	data *os.File
	sums *os.File // the record; locked

	// Arrived is called after each write with the number of new bytes. nil means that it is
	// not called.
	Arrived func(n int64)

	mu      sync.Mutex
	more    sync.Cond // a block is complete, or stopped is set
	blocks  []block
	have    int64          // bytes present
	next    int64          // the first block that Next has not handed out
	compare bool           // the first run that Next hands out begins with bytes that are present
	dirty   map[int64]bool // blocks whose record is out of date
	timer   *time.Timer    // flushes them; nil if there are none
	stopped error
	closed  bool
}

// A block is what is present of a block. Its bytes are written by one goroutine at a time.
type block struct {
	n   int32 // bytes
	sum uint32
}

// Have returns the number of bytes that are present.
func (f *File) Have() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.have
}

// sizeOf returns the number of bytes of block i when it is complete.
func (f *File) sizeOf(i int64) int64 { return min(blockSize, f.size-i*blockSize) }

// block returns what is present of block i. The caller holds the lock.
func (f *File) block(i int64) block {
	if i < int64(len(f.blocks)) {
		return f.blocks[i]
	}
	return block{}
}

// isComplete reports whether block i is present. The caller holds the lock.
func (f *File) isComplete(i int64) bool { return int64(f.block(i).n) == f.sizeOf(i) }

// Next hands out a run of missing bytes of up to about limit bytes. It returns n == 0 if there are
// none left that it has not handed out.
func (f *File) Next(limit int64) (off, n int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := f.next
	for first*blockSize < f.size && f.isComplete(first) {
		first++
	}
	if f.next = first; first*blockSize >= f.size {
		return 0, 0
	}
	for f.next++; f.next*blockSize < f.size && f.block(f.next).n == 0 && (f.next-first)*blockSize < limit; {
		f.next++
	}
	off = first*blockSize + int64(f.block(first).n)
	if f.compare {
		off -= min(off, overlap)
		f.compare = false
	}
	return off, min(f.next*blockSize, f.size) - off
}

// WriteAt writes bytes that are missing, and compares others with those that are present. If they
// differ, the error is [ErrDiffers]. Within a block, bytes must arrive in order.
func (f *File) WriteAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		at := off + int64(n)
		var m int
		m, err = f.write(p[n:min(int64(len(p)), int64(n)+blockSize-at%blockSize)], at)
		n += m
	}
	return n, err
}

// write writes or compares some of the bytes p, which must lie within one block.
func (f *File) write(p []byte, at int64) (int, error) {
	i := at / blockSize
	f.mu.Lock()
	b := f.block(i)
	f.mu.Unlock()
	switch until := i*blockSize + int64(b.n); {
	case at < until:
		return f.same(p[:min(int64(len(p)), until-at)], at)
	case at > until || at+int64(len(p)) > f.size:
		return 0, fmt.Errorf("bytes at %d arrived before those at %d", at, until)
	}
	n, err := f.data.WriteAt(p, at)
	b.n, b.sum = b.n+int32(n), crc32.Update(b.sum, castagnoli(), p[:n])
	f.mu.Lock()
	defer f.mu.Unlock()
	if grow := int(i) + 1 - len(f.blocks); grow > 0 {
		f.blocks = append(f.blocks, make([]block, grow)...)
	}
	f.blocks[i] = b
	f.have += int64(n)
	f.dirty[i] = true
	switch {
	case f.isComplete(i):
		err = errors.Join(err, f.flush())
		f.more.Broadcast()
	case f.timer == nil:
		f.timer = time.AfterFunc(flushTime, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			_ = f.flush() // an error comes back when the block is complete
		})
	}
	if f.Arrived != nil {
		f.Arrived(int64(n))
	}
	return n, err
}

// same compares bytes with those that are present.
func (f *File) same(p []byte, at int64) (int, error) {
	present := make([]byte, len(p))
	if _, err := f.data.ReadAt(present, at); err != nil {
		return 0, err
	}
	if !bytes.Equal(present, p) {
		return 0, ErrDiffers
	}
	return len(p), nil
}

// flush writes changed entries to the record. The caller holds the lock.
func (f *File) flush() error {
	for i := range f.dirty {
		var entry [entrySize]byte
		binary.LittleEndian.PutUint32(entry[:], uint32(f.blocks[i].n))
		binary.LittleEndian.PutUint32(entry[4:], f.blocks[i].sum)
		if _, err := f.sums.WriteAt(entry[:], i*entrySize); err != nil {
			return err
		}
	}
	clear(f.dirty)
	if f.timer != nil {
		f.timer.Stop()
		f.timer = nil
	}
	return nil
}

// Again lets Next hand out what is missing once more, after those it gave it to have stopped.
func (f *File) Again() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = 0
}

// Reset forgets what is present.
func (f *File) Reset() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.blocks, f.have, f.next, f.compare, f.stopped = nil, 0, 0, false, nil
	clear(f.dirty)
	return f.sums.Truncate(0)
}

// Close keeps what is present for a later download. Closing it again does nothing.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	err := f.flush()
	if f.data != nil {
		f.data.Close()
	}
	return errors.Join(err, f.sums.Close())
}
