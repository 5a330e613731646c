// Iterators over persistent objects and calls, and searches.

package pickle

import (
	"slices"
	"strings"
	"testing"
)

// loaded loads a hand-written pickle.
func loaded(t *testing.T, program string, o *Options) *Graph {
	t.Helper()
	g, err := Load(strings.NewReader(program), int64(len(program)), o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestPersistentsAndResults(t *testing.T) {
	// A list of two persistent objects and the results of two calls.
	g := loaded(t, "\x80\x02](K\x01QK\x02Qccollections\nOrderedDict\n)Rccollections\nCounter\n)Re.", nil)
	var ids []int64
	for v := range g.Persistents() {
		id, _ := v.Persistent()
		n, _ := id.Int()
		ids = append(ids, n)
	}
	if !slices.Equal(ids, []int64{1, 2}) {
		t.Errorf("ids are %v", ids)
	}
	var names []string
	for c := range g.Results() {
		_, name, _ := c.Callee().Global()
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"OrderedDict", "Counter"}) {
		t.Errorf("callees are %v", names)
	}
}

// A search does not require a pickle at the first byte.
func TestSearch(t *testing.T) {
	if r := loaded(t, "no pickle at all", &Options{Search: true}).Report; len(r.Findings) > 0 || r.Verdict != Safe {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
	r := loaded(t, "bytes \x00\x01 cos\nsystem\n(S'true'\ntR.", &Options{Search: true}).Report
	if r.Verdict != Dangerous || r.Streams[0].Offset != 9 {
		t.Errorf("%v, %v", r.Verdict, r.Streams)
	}
}

// Numbers in any base are valid, and invalid lines may contain a pickle.
func TestTextOfOtherBases(t *testing.T) {
	for _, program := range []string{"I0x1950a86a20f9469cfc6c\n.", "L119547037146038801333356L\n.",
		"L0x1950a86a20f9469cfc6cL\n."} {
		if n := loaded(t, program, nil).Roots()[0].BigInt(); n == nil || n.Text(16) != "1950a86a20f9469cfc6c" {
			t.Errorf("%q is %v", program, n)
		}
	}
	r := loaded(t, "\x80\x02ccollections\n\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.", nil).Report
	if r.Verdict != Dangerous {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
}
