// Hashing a file while its tensors are read.

package check

import (
	"fmt"
	"hash"
	"io"
	"sync"
)

// A digester reads a file and hashes what is read. Several goroutines may read at once: each waits until all
// bytes before its own are hashed, and while one hashes, the others read and count. So together the reads must
// go through the file from start to end, each byte once.
type digester struct {
	from io.ReaderAt
	hash hash.Hash

	mu   sync.Mutex
	turn sync.Cond // at or err has changed
	at   int64     // the number of bytes that are hashed
	err  error     // why hashing ended
}

func newDigester(from io.ReaderAt, h hash.Hash) *digester {
	d := &digester{from: from, hash: h}
	d.turn.L = &d.mu
	return d
}

// ReadAt implements io.ReaderAt.
func (d *digester) ReadAt(b []byte, off int64) (int, error) {
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
