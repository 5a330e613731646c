package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/vectors"
)

// TestHeaderReader reads all vectors one after the other with one reader, and compares each header and error with those
// of a new one: nothing of one file is left in the next.
func TestHeaderReader(t *testing.T) {
	files := make(map[string][]byte)
	for v := range vectors.All() {
		files[v.Name] = v.File
	}
	one := new(safetensors.HeaderReader)
	for range 2 { // in other orders
		for name, b := range files {
			got, err := one.Read(bytes.NewReader(b), int64(len(b)))
			f, wantErr := safetensors.NewFile(bytes.NewReader(b), int64(len(b)))
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%s: %v, want %v", name, err, wantErr)
			}
			if wantErr != nil || err != nil {
				continue
			}
			want := f.Header
			if !slices.EqualFunc(got.Tensors, want.Tensors, equalInfos) || !maps.Equal(got.Metadata, want.Metadata) ||
				got.Size != want.Size {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
			for i := range want.Tensors {
				if ti := got.Lookup(want.Tensors[i].Name); ti == nil || ti.Name != want.Tensors[i].Name {
					t.Errorf("%s: %q is looked up as %+v", name, want.Tensors[i].Name, ti)
				}
			}
		}
	}
}

func equalInfos(a, b safetensors.TensorInfo) bool { return reflect.DeepEqual(a, b) }

// An error is of the file that was read, whatever is read next.
func TestHeaderReaderError(t *testing.T) {
	r := new(safetensors.HeaderReader)
	bad := file(`{"wrong":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4)
	_, err := r.Read(bytes.NewReader(bad), int64(len(bad)))
	text := fmt.Sprint(err)
	good := file(`{"other":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 4)
	if _, err := r.Read(bytes.NewReader(good), int64(len(good))); err != nil {
		t.Fatal(err)
	}
	var v *safetensors.Violation
	if !errors.As(err, &v) || v.Tensor != "wrong" || fmt.Sprint(err) != text || !strings.Contains(text, "wrong") {
		t.Errorf("%v, and was %s", err, text)
	}
}

// file returns a file with the given header and n bytes of data.
func file(header string, n int) []byte {
	b := []byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}
	return append(append(b, header...), make([]byte, n)...)
}

// A program lists the tensors of many files.
func ExampleHeaderReader() {
	var r safetensors.HeaderReader
	err := filepath.WalkDir("testdata/sample", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".safetensors" {
			return err
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		h, err := r.Read(f, info.Size())
		if err != nil {
			return err
		}
		fmt.Println(d.Name(), len(h.Tensors), "tensors")
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// model-00001-of-00002.safetensors 4 tensors
	// model-00002-of-00002.safetensors 2 tensors
}
