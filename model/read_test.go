// Reading: what a few bytes of data prove.

package model_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/weightools/safetensors/model"
)

// dims are a shape as the bytes of integers.
func dims[T int32 | int64](shape ...T) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, shape)
	return b.Bytes()
}

// A disk is a file of which some tensors have data, and all others zeros. It counts
// how often it is read, and how many of the reads go on at once at most.
type disk struct {
	size  int64
	at    map[int64][]byte // by offset
	fails bool

	mu                 sync.Mutex
	reads, now, atOnce int
	bytes              int64
}

func (d *disk) ReadAt(b []byte, off int64) (int, error) {
	d.mu.Lock()
	d.reads, d.now, d.bytes = d.reads+1, d.now+1, d.bytes+int64(len(b))
	d.atOnce = max(d.atOnce, d.now)
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		d.now--
		d.mu.Unlock()
	}()
	if d.fails {
		return 0, errors.New("the cable is out")
	}
	clear(b)
	for at, data := range d.at {
		if at >= off && at < off+int64(len(b)) {
			copy(b[at-off:], data)
		}
	}
	if over := off + int64(len(b)) - d.size; over > 0 {
		return len(b) - int(over), io.EOF
	}
	return len(b), nil
}

// onDisk returns a fixture with the data of tensors, found by the ends of their names.
// Texts are filled up with spaces.
func onDisk(f *Fixture, data map[string][]byte) (*model.Model, *disk) {
	m := f.Model()
	h := m.Files[0].Header
	d := &disk{at: make(map[int64][]byte)}
	for i := range h.Tensors {
		ti := &h.Tensors[i]
		at := h.FileSpan(ti)
		d.size = max(d.size, at.End)
		for end, b := range data {
			if strings.HasSuffix(ti.Name, end) && int64(len(b)) <= ti.Size() {
				if b[0] == '{' {
					b = append(b, bytes.Repeat([]byte(" "), int(ti.Size())-len(b))...)
				}
				d.at[at.Begin] = b
			}
		}
	}
	m.Files[0].Data = d
	return m, d
}

// small returns a case by its name.
func small(t *testing.T, name string) *Fixture {
	t.Helper()
	for _, c := range smallModels() {
		if c.Name == name {
			return c.Make()
		}
	}
	t.Fatalf("there is no case %q", name)
	return nil
}

// Of a norm of 128 and one matrix, the matrix is what is read about.
const norm = 128

func TestShapesAreRead(t *testing.T) {
	state := func(shape string) []byte {
		return []byte(`{"quant_type": "nf4", "blocksize": 64, "dtype": "bfloat16", "shape": ` + shape + `, "nested_blocksize": 256}`)
	}
	exactly := func(n int64) model.Range { return model.Range{Low: n, High: n} }
	for _, tt := range []struct {
		name, fixture string
		data          map[string][]byte
		want          model.Range
		scheme        string
		noted         bool
	}{
		{"weight_shape", "pack-quantized, unread", map[string][]byte{"weight_shape": dims[int64](64, 128)}, exactly(64*128 + norm), "compressed-tensors 4-bit", false},
		{"weight_shape, not a multiple", "pack-quantized, unread", map[string][]byte{"weight_shape": dims[int64](64, 121)}, exactly(64*121 + norm), "compressed-tensors 4-bit", false},
		{"weight_shape, too short", "pack-quantized, unread", map[string][]byte{"weight_shape": dims[int64](64, 120)}, model.Range{Low: 64*121 + norm, High: 64*128 + norm}, "compressed-tensors 4-bit", true},
		{"weight_shape, too long", "pack-quantized, unread", map[string][]byte{"weight_shape": dims[int64](64, 129)}, model.Range{Low: 64*121 + norm, High: 64*128 + norm}, "compressed-tensors 4-bit", true},
		{"weight_shape, of other rows", "pack-quantized, unread", map[string][]byte{"weight_shape": dims[int64](65, 128)}, model.Range{Low: 64*121 + norm, High: 64*128 + norm}, "compressed-tensors 4-bit", true},
		{"weight_shape, negative", "pack-quantized, unread", map[string][]byte{"weight_shape": dims[int64](-64, -128)}, model.Range{Low: 64*121 + norm, High: 64*128 + norm}, "compressed-tensors 4-bit", false},
		{"weight_shape of 3 bits", "pack-quantized 3 bits, unread", map[string][]byte{"weight_shape": dims[int64](64, 125)}, exactly(64*125 + norm), "compressed-tensors 3-bit", false},
		{"quant_state", "bitsandbytes nf4, unread", map[string][]byte{"bitsandbytes__nf4": state("[64, 128]")}, exactly(64*128 + norm), "bitsandbytes nf4", false},
		{"quant_state, one value less", "bitsandbytes nf4, unread", map[string][]byte{"bitsandbytes__nf4": state("[8191]")}, exactly(8191 + norm), "bitsandbytes nf4", false},
		{"quant_state of another", "bitsandbytes nf4, unread", map[string][]byte{"bitsandbytes__nf4": state("[64, 127]")}, model.Range{Low: 8191 + norm, High: 8192 + norm}, "bitsandbytes nf4", true},
		{"quant_state, no shape", "bitsandbytes nf4, unread", map[string][]byte{"bitsandbytes__nf4": state("null")}, model.Range{Low: 8191 + norm, High: 8192 + norm}, "bitsandbytes nf4", false},
		{"quant_state, odd", "bitsandbytes fp4, odd, unread", map[string][]byte{"bitsandbytes__fp4": state("[33, 3]")}, exactly(99 + norm), "bitsandbytes fp4", false},
		{"shape of hqq", "hqq, unread, no configuration", map[string][]byte{"proj.shape": dims[int64](64, 128)}, exactly(64*128 + norm), "hqq 4-bit", false},
		{"shape of hqq, 3 bits", "hqq 3 bits, unread", map[string][]byte{"proj.shape": dims[int64](64, 128)}, exactly(64*128 + norm), "hqq 3-bit", false},
		{"shape of a sparse weight", "sparse-bitmask, unread", map[string][]byte{"proj.shape": dims[int64](64, 125)}, exactly(64*125 + norm), "compressed-tensors sparse 16-bit", false},
		{"shape of a sparse weight, too long", "sparse-bitmask, unread", map[string][]byte{"proj.shape": dims[int64](64, 129)}, model.Range{Low: 64*121 + norm, High: 64*128 + norm}, "compressed-tensors sparse 16-bit", false},
		{"comfy_quant", "comfy w4a4, unread", map[string][]byte{"comfy_quant": []byte(`{"format":"convrot_w4a4"}`)}, exactly(64*128 + norm), "convrot_w4a4", false},
		{"comfy_quant, one to a byte", "comfy w4a4, unread", map[string][]byte{"comfy_quant": []byte(`{"format":"mxfp8"}`)}, exactly(64*64 + norm), "mxfp8", false},
		{"comfy_quant, unheard of", "comfy w4a4, unread", map[string][]byte{"comfy_quant": []byte(`{"format":"w3"}`)}, model.Range{Low: 64*64 + norm, High: 64*128 + norm}, "ComfyUI", false},
	} {
		m, _ := onDisk(small(t, tt.fixture), tt.data)
		n := model.Count(m)
		if n.Params != tt.want || n.Scheme != tt.scheme {
			t.Errorf("%s: %+v of %q, want %+v of %q", tt.name, n.Params, n.Scheme, tt.want, tt.scheme)
		}
		if noted := len(n.Notes) > 0; noted != tt.noted {
			t.Errorf("%s: notes %q", tt.name, n.Notes)
		}
	}
}

// The model of 70 billion has 560 shapes. As they are the only tensors of their dtype,
// a writer puts them together, and one read gets them all.
func TestShapesTogetherAreOneRead(t *testing.T) {
	d := new(Draft)
	for _, name := range []string{"a", "b", "c"} {
		d.Add(name+".weight_shape", "I64", 2)
	}
	for _, name := range []string{"a", "b", "c"} {
		d.Add(name+".weight_packed", "I32", 64, 16)
		d.Add(name+".weight_scale", "BF16", 64, 1)
	}
	f := &Fixture{Shards: []*Draft{d}}
	m, disk := onDisk(f, map[string][]byte{"weight_shape": dims[int64](64, 127)})
	if n := model.Count(m); disk.reads != 1 || n.Params != (model.Range{Low: 3 * 64 * 127, High: 3 * 64 * 127}) {
		t.Errorf("%d reads, %+v, %q", disk.reads, n.Params, n.Notes)
	}
	m.MaxReads = 1
	if n := model.Count(m); disk.reads != 2 || !n.Params.Exact() {
		t.Errorf("%d reads, %+v, %q", disk.reads, n.Params, n.Notes)
	}
}

// What cannot be read is not known, and a note says why.
func TestFailedReads(t *testing.T) {
	m, disk := onDisk(small(t, "pack-quantized, unread"), nil)
	want := model.Count(small(t, "pack-quantized, unread").Model()).Params
	disk.fails = true
	if n := model.Count(m); n.Params != want || len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "the cable is out") {
		t.Errorf("%+v, %q", n.Params, n.Notes)
	}
	disk.fails, disk.size = false, 100
	if n := model.Count(m); n.Params != want || len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "unexpected EOF") {
		t.Errorf("a file that is cut off: %+v, %q", n.Params, n.Notes)
	}
}

// The published number of the model that unsloth packed is known to two for each
// matrix by its header, and exactly by its quant_state: 224 of them, which lie far
// from each other.
func TestPublishedNumberIsExactByItsStates(t *testing.T) {
	f := LlamaBnB()
	m, disk := onDisk(f, map[string][]byte{
		"q_proj.weight.quant_state.bitsandbytes__nf4":    []byte(`{"shape":[4096,4096]}`),
		"o_proj.weight.quant_state.bitsandbytes__nf4":    []byte(`{"shape":[4096,4096]}`),
		"k_proj.weight.quant_state.bitsandbytes__nf4":    []byte(`{"shape":[1024,4096]}`),
		"v_proj.weight.quant_state.bitsandbytes__nf4":    []byte(`{"shape":[1024,4096]}`),
		"gate_proj.weight.quant_state.bitsandbytes__nf4": []byte(`{"shape":[14336,4096]}`),
		"up_proj.weight.quant_state.bitsandbytes__nf4":   []byte(`{"shape":[14336,4096]}`),
		"down_proj.weight.quant_state.bitsandbytes__nf4": []byte(`{"shape":[4096,14336]}`),
	})
	m.Parallel = 8
	const published = 8_030_261_248
	if n := model.Count(m); n.Params != (model.Range{Low: published, High: published}) || disk.reads != 7*32 || disk.atOnce > 8 {
		t.Errorf("%+v after %d reads, %d at once; %q", n.Params, disk.reads, disk.atOnce, n.Notes)
	}
	if n := model.Count(f.Model()); n.Params != (model.Range{Low: published - 7*32, High: published}) {
		t.Errorf("by the header alone %+v", n.Params)
	}
}

// What the header proves is not asked for again: over a network that is a request.
func TestNothingIsReadInVain(t *testing.T) {
	for _, c := range smallModels() {
		m, disk := onDisk(c.Make(), nil)
		model.Count(m)
		if c.Want.Exact() && disk.reads > 0 {
			t.Errorf("%s: %d reads", c.Name, disk.reads)
		}
	}
}

// A part that is too large to be a shape is not read, and all parts together are no
// more than 16 MiB.
func TestBoundsOfReading(t *testing.T) {
	d := new(Draft)
	for i := range 300 {
		name := fmt.Sprintf("m%d.weight", i)
		d.Add(name, "U8", 1<<20, 1)
		d.Add(name+".absmax", "F32", 1<<15)
		d.Add(name+".quant_map", "F32", 16)
		d.Add(name+".quant_state.bitsandbytes__nf4", "U8", 64<<10)
	}
	m, disk := onDisk(&Fixture{Shards: []*Draft{d}}, nil)
	n := model.Count(m)
	if disk.reads != 256 || disk.bytes != 16<<20 || len(n.Notes) != 1 {
		t.Errorf("%d bytes in %d reads, %q", disk.bytes, disk.reads, n.Notes)
	}
	d = new(Draft)
	d.Add("m.weight", "U8", 8, 1)
	d.Add("m.weight.absmax", "F32", 1)
	d.Add("m.weight.quant_state.bitsandbytes__nf4", "U8", 64<<10+1)
	m, disk = onDisk(&Fixture{Shards: []*Draft{d}}, nil)
	if n := model.Count(m); disk.reads != 0 || n.Params != (model.Range{Low: 15, High: 16}) {
		t.Errorf("%d reads, %+v", disk.reads, n.Params)
	}
}

// A reader that is far away is asked so many times and no more.
func TestMaxReads(t *testing.T) {
	f := LlamaBnB()
	m, disk := onDisk(f, nil)
	m.MaxReads = 10
	if n := model.Count(m); disk.reads > 10 || len(n.Notes) != 1 {
		t.Errorf("%d reads, notes %q", disk.reads, n.Notes)
	}
}
