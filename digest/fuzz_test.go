// Sets of arbitrary tensors, against sort and encoding/json.

package digest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/weightools/safetensors"
)

// FuzzSet checks each line of a set against the bytes and the name of its tensor, and the digest of the set against
// that of the sorted lines, in any order of the tensors.
func FuzzSet(f *testing.F) {
	f.Add("a b\"c\\ \u0007 é", "data of the tensors", uint8(1))
	f.Add("", "", uint8(0))
	f.Fuzz(func(t *testing.T, names, data string, step uint8) {
		if !utf8.ValidString(names) {
			return // no header has such a name
		}
		var list []*safetensors.Tensor
		seen := make(map[string]bool)
		twice := false
		for i, name := range strings.Split(names, " ") {
			one := data[min(i*int(step), len(data)):]
			list = append(list, tensor(name, safetensors.U8, one, 1, int64(len(one))))
			twice = twice || seen[name]
			seen[name] = true
		}
		h := new(Hasher)
		sums, err := h.Tensors(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for i, one := range list {
			b, _ := one.Bytes()
			if sum := sha256.Sum256(b); !bytes.Equal(sums[i], sum[:]) {
				t.Fatalf("the digest of %q is %x, want %x", one.Name, sums[i], sum)
			}
			line := string(AppendLine(nil, &one.TensorInfo, sums[i]))
			rest, ok := strings.CutPrefix(line, fmt.Sprintf("%x U8 [1,%d] ", sums[i], len(b)))
			var name string
			if err := json.Unmarshal([]byte(rest), &name); !ok || err != nil || name != one.Name ||
				strings.IndexByte(line, '\n') != len(line)-1 {
				t.Fatalf("the line of %q is %q: %v", one.Name, line, err)
			}
			lines = append(lines, line)
		}
		set, err := h.Set(list, sums)
		if (err != nil) != twice {
			t.Fatalf("names twice: %v; error %v", twice, err)
		}
		if twice {
			return
		}
		slices.Sort(lines)
		if want := sha256.Sum256([]byte(strings.Join(lines, ""))); !bytes.Equal(set, want[:]) {
			t.Errorf("the digest is %x, and that of the sorted lines %x", set, want)
		}
		slices.Reverse(list)
		slices.Reverse(sums)
		if again, err := h.Set(list, sums); err != nil || !bytes.Equal(again, set) {
			t.Errorf("the digest in another order is %x, %v, and was %x", again, err, set)
		}
	})
}
