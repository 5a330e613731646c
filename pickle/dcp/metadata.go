// The file .metadata: a pickle that says where the chunks of the tensors are.

package dcp

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A metadata is what the file .metadata has.
type metadata struct {
	entries []entry
	files   []string // the names of files, which chunks refer to
	report  *pickle.Report
}

// An entry is a value of the checkpoint.
type entry struct {
	key    string   // its name in the metadata
	path   []string // the keys of the dicts in which it was saved, outermost first; nil if they are not recorded
	tensor bool     // whether it is a tensor, and not a pickle
	dtype  string   // of PyTorch, such as "float32"
	shape  []int64
	chunks []chunk
}

// A chunk is a box of a tensor, or all of another value, and the archive that has it.
type chunk struct {
	at, shape []int64
	file      int32 // index of metadata.files; -1 if the metadata does not say where it is
	packed    bool  // whether the archive is compressed or encrypted by an extension
	off, size int64 // of the archive
}

// maxEntries is the maximum number of values and of chunks. Models with thousands of experts and processes have less.
const maxEntries = 20_000_000

// readMetadata reads the pickle. The error is checkpoint.ErrNotFormat if it is another one.
func readMetadata(r io.ReaderAt, size int64, o *pickle.Options) (*metadata, error) {
	g, err := pickle.Load(r, size, limits(o, size))
	if err != nil {
		return nil, err
	}
	roots := g.Roots()
	if len(roots) == 0 || !isCall(roots[0], "Metadata") {
		return nil, checkpoint.ErrNotFormat
	}
	top := roots[0]
	m := &metadata{report: g.Report}
	places, err := m.places(attribute(top, "storage_data"))
	if err != nil {
		return nil, err
	}
	paths := pathsOf(attribute(top, "planner_data"))
	seen := make(map[string]bool)
	chunks := 0
	for key, value := range attribute(top, "state_dict_metadata").Pairs() {
		name, ok := key.Str()
		switch {
		case !ok:
			return nil, checkpoint.Damaged("a name in the metadata is not a string")
		case seen[name]:
			return nil, checkpoint.Damaged("the metadata has the name %s twice", wording.Quote(name))
		}
		seen[name] = true
		e, err := readEntry(name, value, places)
		if err != nil {
			return nil, err
		}
		e.path = paths[name]
		m.entries = append(m.entries, e)
		if chunks += len(e.chunks) + 1; chunks > maxEntries {
			return nil, checkpoint.OverLimit("", "the metadata has more than %d values and chunks", maxEntries)
		}
	}
	if len(m.entries) == 0 {
		return nil, checkpoint.Damaged("the metadata has no values")
	}
	return m, nil
}

// limits returns the options for a pickle of that size. An entry with its chunks takes a few hundred bytes in the file,
// and about eight times as much in memory.
func limits(o *pickle.Options, size int64) *pickle.Options {
	const least, factor, most = 64 << 20, 16, 4 << 30
	var own pickle.Options
	if o != nil {
		own = *o
	}
	if own.MaxMemory <= 0 {
		own.MaxMemory = min(least+factor*min(size, most), most)
	}
	if own.MaxOpcodes <= 0 {
		own.MaxOpcodes = 1_000_000_000
	}
	own.NoSweep = true
	return &own
}

// readEntry reads a TensorStorageMetadata or a BytesStorageMetadata. (torch/distributed/checkpoint/metadata.py.)
func readEntry(name string, value pickle.Value, places map[placeKey]chunk) (entry, error) {
	e := entry{key: name}
	switch {
	case isCall(value, "BytesStorageMetadata"):
		c, ok := places[placeKey{name, whole}]
		if !ok {
			c.file = -1
		}
		e.chunks = []chunk{c}
		return e, nil
	case !isCall(value, "TensorStorageMetadata"):
		return e, damagedEntry(name, "is neither a tensor nor bytes")
	}
	e.tensor = true
	var ok bool
	if e.shape, ok = size(attribute(value, "size")); !ok {
		return e, damagedEntry(name, "has no size")
	}
	properties, _ := attribute(value, "properties").Called()
	state, _ := properties.State()
	if module, dtype, _ := state.Item(0).Global(); module == "torch" {
		e.dtype = dtype
	} else {
		return e, damagedEntry(name, "has no dtype")
	}
	for one := range attribute(value, "chunks").Items() {
		at, ok := size(attribute(one, "offsets"))
		shape, sized := size(attribute(one, "sizes"))
		if !ok || !sized {
			return e, damagedEntry(name, "has a chunk without offsets or sizes")
		}
		c, found := places[placeKey{name, packed(at)}]
		if !found {
			c.file = -1
		}
		c.at, c.shape = at, shape
		e.chunks = append(e.chunks, c)
	}
	return e, nil
}

func damagedEntry(name, what string) error {
	v := checkpoint.Damaged("%s of the metadata %s", wording.Quote(name), what)
	v.Tensor = name
	return v
}

// A placeKey identifies a chunk: the name of the tensor, and where the chunk begins.
type placeKey struct{ name, at string }

// whole replaces the start of the chunk in the key of a value that is not a tensor.
const whole = "whole"

// packed returns numbers as a key.
func packed(numbers []int64) string {
	var b []byte
	for _, n := range numbers {
		b = binary.AppendVarint(b, n)
	}
	return string(b)
}

// places reads where the chunks are: a dict from MetadataIndex to _StorageInfo. The boxes of the chunks are not set.
// (torch/distributed/checkpoint/filesystem.py.)
func (m *metadata) places(v pickle.Value) (map[placeKey]chunk, error) {
	all := make(map[placeKey]chunk)
	numbers := make(map[string]int32)
	for key, info := range v.Pairs() {
		name, ok := attribute(key, "fqn").Str()
		at := whole
		if offset := attribute(key, "offset"); ok && offset.Kind() != pickle.KindUnknown && !offset.IsNone() {
			var list []int64
			list, ok = size(offset)
			at = packed(list)
		}
		file, named := attribute(info, "relative_path").Str()
		off, _ := attribute(info, "offset").Int()
		length, sized := attribute(info, "length").Int()
		switch {
		case !ok || !named || !sized:
			return nil, checkpoint.Damaged("the metadata does not record the location of a value in PyTorch's form")
		case strings.ContainsAny(file, `/\:`) || !strings.HasSuffix(file, extension):
			return nil, checkpoint.Damaged("the metadata refers to %s, which is not a %s file in its folder",
				wording.Quote(file), extension)
		case off < 0 || length <= 0 || off > 1<<62 || length > 1<<62:
			return nil, checkpoint.Damaged("the metadata refers to a value at byte %d of %s with %d bytes", off,
				wording.Quote(file), length)
		}
		number, known := numbers[file]
		if !known {
			number = int32(len(m.files))
			numbers[file] = number
			m.files = append(m.files, file)
		}
		all[placeKey{name, at}] = chunk{file: number, off: off, size: length,
			packed: attribute(info, "transform_descriptors").Len() > 0}
	}
	return all, nil
}

// pathsOf reads the paths of the values in the dicts that were saved. (torch/distributed/checkpoint/_nested_dict.py.)
func pathsOf(v pickle.Value) map[string][]string {
	all := make(map[string][]string)
	for key, path := range v.Pairs() {
		name, _ := key.Str()
		var steps []string
		for step := range path.Items() {
			text, ok := step.Str()
			if n, isInt := step.Int(); isInt {
				text, ok = fmt.Sprint(n), true
			}
			if !ok {
				steps = nil
				break
			}
			steps = append(steps, text)
		}
		if strings.Join(steps, ".") == name { // what PyTorch writes
			all[name] = steps
		}
	}
	return all
}

// isCall reports whether a value was made by a class or function of that name in PyTorch's distributed packages.
func isCall(v pickle.Value, name string) bool {
	c, ok := v.Called()
	if !ok {
		return false
	}
	module, called, _ := c.Callee().Global()
	return called == name && strings.HasPrefix(module, "torch.distributed.")
}

// attribute returns an attribute of an object that was built with a dict.
func attribute(v pickle.Value, name string) (found pickle.Value) {
	c, _ := v.Called()
	state, _ := c.State()
	if state.Kind() == pickle.KindTuple { // the attributes in a dict, and those in slots
		state = state.Item(0)
	}
	for key, value := range state.Pairs() {
		if text, _ := key.Str(); text == name {
			found = value
		}
	}
	return found
}

// maxDims bounds the number of dimensions. PyTorch allows 64.
const maxDims = 64

// size returns the numbers of a torch.Size, or of a tuple.
func size(v pickle.Value) ([]int64, bool) {
	if c, ok := v.Called(); ok {
		if module, name, _ := c.Callee().Global(); module != "torch" || name != "Size" {
			return nil, false
		}
		v = c.Args().Item(0)
	}
	if v.Kind() != pickle.KindTuple && v.Kind() != pickle.KindList || v.Len() > maxDims {
		return nil, false
	}
	list := make([]int64, 0, v.Len())
	for item := range v.Items() {
		n, ok := item.Int()
		if !ok || n < 0 {
			return nil, false
		}
		list = append(list, n)
	}
	return slices.Clip(list), true
}
