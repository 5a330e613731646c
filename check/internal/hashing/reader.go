// Package hashing hashes a file while its tensors are read.
package hashing

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"sync"
)

// A Reader reads a file and hashes what is read. Several goroutines may read at once: each waits until all
// bytes before its own are hashed, and while one hashes, the others read and count. So together the reads must
// go through the file from start to end, each byte once.
type Reader struct {
	from io.ReaderAt
	hash hash.Hash

	mu   sync.Mutex
	turn sync.Cond // at or err has changed
	at   int64     // the number of bytes that are hashed
	err  error     // why hashing ended
}

// NewReader returns a Reader of a file that writes to h what is read.
func NewReader(from io.ReaderAt, h hash.Hash) *Reader {
	d := &Reader{from: from, hash: h}
	d.turn.L = &d.mu
	return d
}

// ReadAt implements io.ReaderAt.
func (d *Reader) ReadAt(b []byte, off int64) (int, error) {
	n, err := d.from.ReadAt(b, off)
	short := n < len(b)
	d.mu.Lock()
	defer d.mu.Unlock()
	for !short && d.at != off && d.err == nil {
		d.turn.Wait()
	}
	switch {
	case short && d.err == nil:
		d.err = fmt.Errorf("read %d bytes of %d at %d: %w", n, len(b), off, err)
	case !short && d.err == nil:
		d.hash.Write(b) // with the lock held: no other read may hash before this one
		d.at += int64(len(b))
	case !short:
		return 0, d.err
	}
	d.turn.Broadcast()
	return n, err
}

// New returns the hash that makes digests like the given one, for a file of the given size: SHA-256, or git's
// SHA-1 of a blob, which includes its kind and size.
func New(digits string, size int64) hash.Hash {
	if len(digits) == 2*sha256.Size {
		return sha256.New()
	}
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}
