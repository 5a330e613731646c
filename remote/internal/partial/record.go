// Reading the record and the bytes again.

package partial

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/weightools/safetensors/internal/bytesio"
)

// load determines what is present: of the blocks in the record, those whose checksums match.
func (f *File) load(ctx context.Context) error {
	info, err := f.data.Stat()
	if err != nil {
		return err
	}
	if info.Size() > f.size {
		if err := f.data.Truncate(f.size); err != nil {
			return err
		}
	}
	buffer := make([]byte, blockSize)
	return entries(f.sums, min(info.Size(), f.size), func(i int64, b block) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.blocks = append(f.blocks, block{})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := f.data.ReadAt(buffer[:min(int64(b.n), f.sizeOf(i))], i*blockSize)
		if err != nil && err != io.EOF {
			return err
		}
		if n == int(b.n) && crc32.Checksum(buffer[:n], castagnoli()) == b.sum {
			f.blocks[i] = b
			f.have += int64(n)
		}
		return nil
	})
}

// entries calls each with the blocks of a record, of a file of at most size bytes.
func entries(sums io.Reader, size int64, each func(i int64, b block) error) error {
	r := bufio.NewReader(sums)
	for i := int64(0); i*blockSize < size; i++ {
		var entry [entrySize]byte
		if _, err := io.ReadFull(r, entry[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		} else if err != nil {
			return err
		}
		n := binary.LittleEndian.Uint32(entry[:])
		b := block{int32(n), binary.LittleEndian.Uint32(entry[4:])}
		if n > blockSize {
			b = block{}
		}
		if err := each(i, b); err != nil {
			return err
		}
	}
	return nil
}

// Kept returns the number of bytes that an earlier download to path has left.
func Kept(path string, o Object) (kept int64) {
	name := nameFor(path, o)
	sums, err := openPlain(name+sumsEnd, os.O_RDONLY)
	if err != nil || o.Version == "" {
		return 0
	}
	defer sums.Close()
	if info, err := os.Lstat(name); err == nil {
		_ = entries(sums, min(info.Size(), o.Size), func(_ int64, b block) error {
			kept += int64(b.n)
			return nil
		})
	}
	return kept
}

// Hash writes the bytes of the file to h, in order, as blocks become complete. It reads them from the
// file again and compares them with what arrived, so it proves that the file is as it was received.
// It returns when it has read all, or after Stop. While h takes a block, the next one is read.
func (f *File) Hash(h io.Writer) error {
	const atOnce = 2
	var buffers [atOnce][]byte
	blocks := int((f.size + blockSize - 1) / blockSize)
	read := func(_ context.Context, i int) error {
		var err error
		if buffers[i%atOnce], err = f.stored(buffers[i%atOnce], int64(i)); err != nil {
			f.Stop() // the other read, which may wait
		}
		return err
	}
	for i, err := range bytesio.Ahead(context.Background(), atOnce, blocks, read) {
		if err == nil {
			_, err = h.Write(buffers[i%atOnce])
		}
		if err != nil {
			f.Stop()
			return err
		}
	}
	return nil
}

// stored returns block i as it is in the file, when it is complete.
func (f *File) stored(buffer []byte, i int64) ([]byte, error) {
	b, err := f.wait(i)
	if err != nil {
		return buffer, err
	}
	if buffer == nil {
		buffer = make([]byte, min(blockSize, f.size))
	}
	buffer = buffer[:b.n]
	if _, err := f.data.ReadAt(buffer, i*blockSize); err != nil {
		return buffer, err
	}
	if crc32.Checksum(buffer, castagnoli()) != b.sum {
		return buffer, fmt.Errorf("another program has changed %q, or the disk is faulty", f.name)
	}
	return buffer, nil
}

// wait waits until block i is complete.
func (f *File) wait(i int64) (block, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.isComplete(i) && f.stopped == nil {
		f.more.Wait()
	}
	return f.block(i), f.stopped
}

// errStopped is the error of Hash after Stop.
var errStopped = errors.New("the download has stopped")

// Stop makes Hash return.
func (f *File) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = errStopped
	f.more.Broadcast()
}
