package evidence

import (
	"strconv"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A report that is full counts repetitions of what it has, and nothing else.
func TestJoinFull(t *testing.T) {
	r := new(Report)
	for i := range 10_000 {
		r.Find("rule", pickle.Warning, 0, "%s", strconv.Itoa(i))
	}
	other := new(Report)
	for range 3 {
		other.Find("rule", pickle.Warning, 0, "another")
		other.Find("rule", pickle.Warning, 0, "7")
	}
	r.Join(other)
	if len(r.Findings) != 10_000 || r.Findings[0].Count != 1 || r.Findings[7].Count != 4 {
		t.Errorf("%d findings, the first with %d, the eighth with %d", len(r.Findings), r.Findings[0].Count, r.Findings[7].Count)
	}
}
