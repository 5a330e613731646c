// Streams: checkpoints from before version 1.6, five pickles and the numbers after
// them.

package torchfile

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/big"
	"strings"

	"github.com/weightools/safetensors/internal/window"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// pickles is how many pickles a stream begins with: the magic number, the version of
// the protocol, what machine wrote it, the object, and the keys of the storages.
const pickles = 5

// magic is the number by which PyTorch knows a stream, and version the one version of
// the protocol that there has been.
var magic, _ = new(big.Int).SetString("1950a86a20f9469cfc6c", 16)

const version = 1001

// The magic number as pickles of protocols 2 to 5 have it, after their head, and as
// those of 0 and 1 do.
const (
	binaryMagic = "\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
	textMagic   = "L119547037146038801333356L\n."
)

// A Stream is a checkpoint from before version 1.6.
type Stream struct {
	// Graph has the pickles, as many as there are, five of a sound stream.
	Graph *pickle.Graph
	// Object is what torch.load returns. It is the zero Value if there is none.
	Object pickle.Value
	// Blocks are the storages whose numbers are in the file, in its order.
	Blocks []Block
	// End is the offset after the last of them.
	End int64
	// Complete says whether the numbers of all storages are there.
	Complete bool
	Faults   []Fault
}

// A Block is the numbers of one storage: their count in eight bytes, and they.
type Block struct {
	Storage
	Count int64  // as it stands in the file: elements of the class
	Begin int64  // the offset of the first number
	Size  int64  // in bytes, as many as there are
	Head  []byte // the first of them, up to 64
}

// IsStream says whether what a pickle returns is the magic number, and so what follows
// it a stream. How the number is written is no matter to loaders.
func IsStream(root pickle.Value) bool {
	n := root.BigInt()
	return n != nil && n.Cmp(magic) == 0
}

// ReadStream reads the stream of the given size behind r: the pickles, and where the
// numbers are. The pickles are judged by o, whose MaxStreams and NoSweep do not
// matter. It returns nil if it is no stream.
//
// The error is of reading r, and never of what was read.
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
	s := &streamReader{Stream: &Stream{Graph: g, End: g.Report.End}, window: window.New(r, size), size: size}
	if err := s.canonical(); err != nil {
		return nil, err
	}
	if len(roots) > 1 {
		if v, ok := roots[1].Int(); !ok || v != version {
			s.add(RuleMagic, 0, "the version of the protocol is not %d, the only one that there is", version)
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
	s.Faults = s.list
	return s.Stream, nil
}

// A streamReader is a Stream that is being read.
type streamReader struct {
	*Stream
	faults
	window *window.Window
	size   int64
}

// canonical reports a magic number that is not written as PyTorch writes it: in the
// protocol of the pickles that follow.
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
		s.add(RuleMagic, 0, "the magic number is not written as PyTorch writes it")
	}
	return nil
}

// blocks finds the numbers of all storages. The keys are in the order of the file, and
// how long each is follows from the class that a persistent id has for it.
func (s *streamReader) blocks(keys pickle.Value) error {
	storages, found := Storages(s.Graph)
	s.list = append(s.list, found...)
	if keys.Kind() != pickle.KindList {
		s.add(pickle.RuleType, s.End, "the keys of the storages are a %s, and are to be a list", keys.Kind())
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
			// Its class is not known, and so not where the next begins.
			s.add(RuleStorageKey, s.End, "the key %s is of no storage that the pickle names", wording.Quote(key))
			return nil
		}
		if seen[key] {
			s.add(RuleStorageKey, s.End, "the storage %s is there twice", wording.Quote(key))
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
			s.add(RuleStorageKey, s.End, "the storage %s is not among the keys", wording.Quote(storages[i].Key))
		}
	}
	return nil
}

// block finds the numbers of one storage. It returns false if the next cannot be
// found.
func (s *streamReader) block(storage Storage) (more bool, err error) {
	const countSize, headSize = 8, 64 // bytes
	b, err := s.window.At(s.End, countSize+headSize)
	if err != nil {
		return false, err
	}
	if len(b) < countSize {
		s.add(pickle.RuleTruncated, s.End, "the file ends before the storage %s", wording.Quote(storage.Key))
		return false, nil
	}
	block := Block{Storage: storage, Count: int64(binary.LittleEndian.Uint64(b)), Begin: s.End + countSize}
	if block.Count != storage.Elements {
		s.add(RuleStorageSize, s.End, "the storage %s has %d elements by the pickle, and %d by its own count", wording.Quote(storage.Key), storage.Elements, block.Count)
	}
	size, ok := product(block.Count, storage.ElementSize())
	if !ok {
		s.add(RuleStorageSize, s.End, "the storage %s has %d elements of %s, of which it is not known how long they are", wording.Quote(storage.Key), block.Count, wording.Quote(storage.Class))
		return false, nil
	}
	block.Size = min(size, s.size-block.Begin)
	block.Head = bytes.Clone(b[countSize:min(len(b), int(countSize+min(block.Size, headSize)))])
	s.Blocks = append(s.Blocks, block)
	s.End = block.Begin + block.Size
	if block.Size < size {
		s.add(pickle.RuleTruncated, block.Begin, "the storage %s takes %d bytes, and %d are left", wording.Quote(storage.Key), size, block.Size)
		return false, nil
	}
	return true, nil
}
