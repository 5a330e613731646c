// Streams: checkpoints from before version 1.6, five pickles followed by the data.

package torchfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/big"
	"strings"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// pickles is the number of pickles at the start of a stream: magic number, protocol version, system information,
// object, storage keys.
const pickles = 5

// magic is the number that identifies a stream, and version the only protocol version in use.
var magic, _ = new(big.Int).SetString("1950a86a20f9469cfc6c", 16)

const version = 1001

// The magic number in pickles of protocols 2 to 5, after their header, and in pickles of protocols 0 and 1.
const (
	binaryMagic = "\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
	textMagic   = "L119547037146038801333356L\n."
)

// A Stream is a checkpoint from before version 1.6.
type Stream struct {
	// Graph holds the pickles; a complete stream has five.
	Graph *pickle.Graph
	// Object is the result of torch.load, the zero Value if there is none.
	Object pickle.Value
	// Blocks are the storages with data in the file, in file order.
	Blocks []Block
	// End is the offset after the last block.
	End int64
	// Complete reports whether the data of all storages is present.
	Complete bool
	Faults   []Fault
}

// A Block is the data of one storage: its number of elements in eight bytes, and the elements.
type Block struct {
	Storage
	Count int64  // number of elements according to the block
	Begin int64  // offset of the first element
	Size  int64  // bytes that are present
	Head  []byte // the first bytes of data, at most 64
}

// IsStream reports whether the root of a pickle is the magic number, which a stream follows. Loaders accept any
// encoding of the number.
func IsStream(root pickle.Value) bool {
	n := root.BigInt()
	return n != nil && n.Cmp(magic) == 0
}

// ReadStream reads the pickles of a stream and locates its data. It analyzes the pickles with o, ignoring MaxStreams
// and Search. It returns nil if the file is not a stream.
//
// The error is a read error, never one of the contents.
func ReadStream(r io.ReaderAt, size int64, o *pickle.Options) (*Stream, error) {
	var opts pickle.Options
	if o != nil {
		opts = *o
	}
	opts.MaxStreams, opts.NoSweep = pickles, true
	g, err := pickle.Load(r, size, &opts)
	if err != nil {
		return nil, err
	}
	roots := g.Roots()
	if len(roots) == 0 || !IsStream(roots[0]) {
		return nil, nil
	}
	s := &streamReader{Stream: &Stream{Graph: g, End: g.Report.End}, window: bytesio.NewWindow(r, size), size: size}
	if err := s.canonical(); err != nil {
		return nil, err
	}
	if len(roots) > 1 && g.Report.Streams[1].Stopped {
		if v, ok := roots[1].Int(); !ok || v != version {
			s.add(RuleMagic, 0, "the protocol version is not %d, the only one", version)
		}
	}
	if len(roots) > 3 {
		s.Object = roots[3]
	}
	if len(roots) == pickles && g.Report.Streams[pickles-1].Stopped {
		if err := s.blocks(roots[pickles-1]); err != nil {
			return nil, err
		}
	}
	if n := len(roots); n < pickles && s.End == size {
		s.add(pickle.RuleTruncated, size, "the file ends after %d of the %d pickles of a checkpoint", n, pickles)
	}
	s.Faults = s.list
	return s.Stream, nil
}

// A streamReader reads a Stream.
type streamReader struct {
	*Stream
	faults
	window *bytesio.Window
	size   int64
}

// canonical reports a magic number that is not encoded as PyTorch does, in the protocol of the pickles after it.
func (s *streamReader) canonical() error {
	streams := s.Graph.Report.Streams
	b, err := s.window.At(0, int(min(streams[0].End, 64)))
	if err != nil {
		return err
	}
	head := string(b)
	if proto := streams[0].Proto; proto >= 2 {
		head = strings.TrimPrefix(head, "\x80"+string(rune(proto)))
		if frame := "\x95\x0d\x00\x00\x00\x00\x00\x00\x00"; proto >= 4 {
			head = strings.TrimPrefix(head, frame)
		}
	}
	if head != binaryMagic && !(head == textMagic && len(streams) > 1 && streams[1].Proto < 2) {
		s.add(RuleMagic, 0, "the magic number is not encoded as PyTorch does")
	}
	return nil
}

// blocks locates the data of all storages. The keys are in file order; the size of each storage follows from the class
// in its persistent ID.
func (s *streamReader) blocks(keys pickle.Value) error {
	storages, found := Storages(s.Graph)
	s.list = append(s.list, found...)
	if keys.Kind() != pickle.KindList {
		s.add(pickle.RuleType, s.End, "the storage keys are of type %s instead of list", keys.Kind())
		return nil
	}
	seen, index := make(map[string]bool), make(map[string]int, len(storages))
	for i := range storages {
		index[storages[i].Key] = i
	}
	for v := range keys.Items() {
		key, ok := v.Str()
		i, known := index[key]
		if !ok || !known {
			// Without its class, the position of the next storage is unknown.
			s.add(RuleStorageKey, s.End, "key %s does not belong to a storage in the pickle", wording.Quote(key))
			return nil
		}
		if seen[key] {
			s.add(RuleStorageKey, s.End, "storage %s is listed twice", wording.Quote(key))
			return nil
		}
		seen[key] = true
		if more, err := s.block(storages[i]); !more || err != nil {
			return err
		}
	}
	s.Complete = len(seen) == len(storages)
	for i := range storages {
		if !seen[storages[i].Key] {
			s.add(RuleStorageKey, s.End, "storage %s is missing from the keys", wording.Quote(storages[i].Key))
		}
	}
	return nil
}

// block locates the data of one storage. It returns false if the next storage cannot be located.
func (s *streamReader) block(storage Storage) (more bool, err error) {
	const countSize, headSize = 8, 64 // bytes
	b, err := s.window.At(s.End, countSize+headSize)
	if err != nil {
		return false, err
	}
	if len(b) < countSize {
		s.add(pickle.RuleTruncated, s.End, "the file ends before storage %s", wording.Quote(storage.Key))
		s.End = s.size
		return false, nil
	}
	block := Block{Storage: storage, Count: int64(binary.LittleEndian.Uint64(b)), Begin: s.End + countSize}
	if block.Count != storage.Elements {
		s.add(RuleStorageSize, s.End, "storage %s has %d elements in the pickle, but %d in the file",
			wording.Quote(storage.Key), storage.Elements, block.Count)
	}
	size, ok := product(block.Count, storage.ElementSize())
	if !ok {
		s.add(RuleStorageSize, s.End, "storage %s has %d elements of the unknown class %s",
			wording.Quote(storage.Key), block.Count, wording.Quote(storage.Class))
		return false, nil
	}
	block.Size = min(size, s.size-block.Begin)
	block.Head = bytes.Clone(b[countSize:min(len(b), int(countSize+min(block.Size, headSize)))])
	s.Blocks = append(s.Blocks, block)
	s.End = block.Begin + block.Size
	if block.Size < size {
		s.add(pickle.RuleTruncated, block.Begin, "storage %s needs %s, but %s are left",
			wording.Quote(storage.Key), wording.Count(size, "byte"), wording.Grouped(block.Size))
		return false, nil
	}
	return true, nil
}
