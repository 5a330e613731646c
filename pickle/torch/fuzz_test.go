// Fuzzing: no bytes make it panic, allocate what they claim, or give other tensors than
// they promise.

package torch

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
)

func FuzzOpen(f *testing.F) {
	st := stored("FloatStorage", "0", 6)
	value := dict(str("w"), transposed(st), str("tied"), vector("0", 6), str("epoch"), num(3))
	f.Add(archiveOf(f, value, "0", counting(6)))
	f.Add(zipOf(f, zip.Deflate, member{"m/data.pkl", proto + value + "."}, member{"m/data/0", counting(6)}))
	f.Add(streamOf(value, "0", counting(6)))
	f.Add([]byte(proto + transposed(call("ctorch.storage\n_load_from_bytes\n", "B"+le32(len(storageStream))+storageStream)) + "."))
	names, _ := filepath.Glob(filepath.Join(corpus, "samples", "T-*", "*"))
	own, _ := filepath.Glob(filepath.Join("..", "..", "testdata", "torch", "composed", "*.pt"))
	for _, name := range append(names, own...) {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := &Options{Pickle: &pickle.Options{MaxOpcodes: 1e5, MaxMemory: 16 << 20}, MaxBytes: 1 << 20, Dense: true, Quantized: true, Values: true}
		cp, err := Open(bytes.NewReader(b), int64(len(b)), o)
		if err != nil {
			return
		}
		names := make(map[string]bool)
		total := int64(0)
		for _, tensor := range cp.Tensors {
			if names[tensor.Name] {
				t.Errorf("two tensors are called %q", tensor.Name)
			}
			names[tensor.Name] = true
			size, ok := tensor.Dtype.Size(tensor.NumElems())
			if !ok || size != tensor.Size() {
				t.Errorf("%q has %d bytes, and its shape takes %d", tensor.Name, tensor.Size(), size)
			}
			total += size
			// A packed storage may turn out to be damaged, and all others are there.
			if n, err := io.Copy(io.Discard, tensor.Open()); err == nil && n != size {
				t.Errorf("%q gives %d bytes, and has %d", tensor.Name, n, size)
			}
		}
		if total > o.MaxBytes {
			t.Errorf("%d bytes in all", total)
		}
		if v := cp.Values; v != nil && !json.Valid(v.JSON) {
			t.Errorf("values are no JSON: %q", v.JSON)
		}
		for i, tensor := range cp.Tensors {
			if want, ok := cp.Sum(i); ok {
				sum := crc32.NewIEEE()
				if _, err := io.Copy(sum, tensor.Open()); err == nil && sum.Sum32() != want && cp.CheckSumsOf([]int{i}, nil) == nil {
					t.Errorf("%q has the checksum %08x, and its member %08x, which is right", tensor.Name, sum.Sum32(), want)
				}
			}
		}
		cp.Shared()
		cp.CheckSums()
		encodes(t, cp)
	})
}

// FuzzOpenStream has streams alone, which no checksum and no index guards: storages are
// where sizes say that the one before ends.
func FuzzOpenStream(f *testing.F) {
	value := dict(str("w"), vector("0", 6), str("tied"), transposed(stored("FloatStorage", "0", 6)), str("b"), vector("1", 2))
	f.Add(streamOf(value, "0", counting(6), "1", counting(2)))
	names, _ := filepath.Glob(filepath.Join("..", "..", "testdata", "torch", "composed", "*_old.pt"))
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		// What stands before the value is as it has to be, so that more of what is tried
		// gets to the storages.
		const head = proto + "\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19." + proto + "M\xe9\x03."
		if len(b) < len(head) || string(b[:len(head)]) != head {
			b = append([]byte(head), b...)
		}
		o := &Options{Pickle: &pickle.Options{MaxOpcodes: 1e5, MaxMemory: 16 << 20}, MaxBytes: 1 << 20, Dense: true}
		cp, err := Open(bytes.NewReader(b), int64(len(b)), o)
		if err != nil {
			return
		}
		for _, tensor := range cp.Tensors {
			if n, err := io.Copy(io.Discard, tensor.Open()); err != nil || n != tensor.Size() {
				t.Errorf("%q gives %d of %d bytes, %v", tensor.Name, n, tensor.Size(), err)
			}
		}
		encodes(t, cp)
	})
}

// encodes checks that what can be written can be read.
func encodes(t *testing.T, cp *Checkpoint) {
	var out bytes.Buffer
	if err := safetensors.Encode(&out, cp.Tensors...); err != nil {
		return // a name that is not UTF-8, or a source that is damaged
	}
	if _, err := safetensors.NewFile(bytes.NewReader(out.Bytes()), int64(out.Len())); err != nil {
		t.Error(err)
	}
}
