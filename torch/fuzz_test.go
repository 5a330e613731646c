// Fuzzing: no bytes make it panic, allocate what they claim, or give other tensors than
// they promise.

package torch

import (
	"archive/zip"
	"bytes"
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
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o := &Options{Pickle: &pickle.Options{MaxOpcodes: 1e5, MaxMemory: 16 << 20}, MaxBytes: 1 << 20}
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
		cp.Shared()
		cp.CheckSums()
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
