// Compatibility: the numbers of others, by their rules, and why ours differ.

package quant

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/weightools/safetensors"
)

// The counters that Compat knows.
const (
	HFJS           = "hf.js"           // @huggingface/hub, which the Hub's pages use
	HuggingFaceHub = "huggingface_hub" // the library for Python
)

// A Compatible is the number of another counter.
type Compatible struct {
	Name    string
	Version string // whose rules these are

	Dtypes []CompatDtype // that with the most first
	Total  int64

	// Refused says why the other counter gives no number, "" if it does.
	Refused string

	// Differences say why the total is not ours, which is taken for the most that it
	// can be if it is not known exactly. Their sum is what the totals differ by.
	Differences []Difference
}

// A CompatDtype is what another counter says of a dtype.
type CompatDtype struct {
	Dtype  safetensors.Dtype
	Params int64
}

// A Difference is one reason why another counter differs.
type Difference struct {
	Cause   string // a sentence
	Tensors int
	Params  int64 // how many more the other counts; below 0, how many fewer
}

// Compat counts a model as the named counter does, by its rules and with its
// rounding. It is an error if there is no counter of that name.
func Compat(name string, m *Model) (*Compatible, error) {
	var other func(*counter) compatible
	x := &Compatible{Name: name}
	switch name {
	case HFJS:
		other, x.Version = newHFJS, hfjsVersion
	case HuggingFaceHub:
		other, x.Version = newPythonHub, pythonHubVersion
	default:
		return nil, fmt.Errorf("quant: there is no counter %q, but %q and %q", name, HFJS, HuggingFaceHub)
	}
	c := m.count()
	x.compare(c, other(c))
	return x, nil
}

// compatible is another counter.
type compatible interface {
	// refuses says why there is no number at all, or "".
	refuses() string
	// params is how many parameters a tensor has.
	params(*entry) float64
	// cause says why that is not what the entry has.
	cause(e *entry, theirs float64) string
}

// compare adds up what another counter counts.
func (x *Compatible) compare(c *counter, other compatible) {
	if x.Refused = other.refuses(); x.Refused != "" {
		return
	}
	dtypes := make(map[safetensors.Dtype]float64)
	differ := make(map[string]*Difference)
	total := 0.0
	for i := range c.entries {
		e := &c.entries[i]
		if c.Only != nil && !c.Only(e.ti) {
			continue
		}
		n := other.params(e)
		if n != 0 {
			dtypes[e.ti.Dtype] += n
			total += n
		}
		if whole(n) == e.params.High {
			continue
		}
		cause := other.cause(e, n)
		d := differ[cause]
		if d == nil {
			d = &Difference{Cause: cause}
			differ[cause] = d
		}
		d.Tensors++
		d.Params += whole(n) - e.params.High
	}
	x.Total = whole(total)
	for d, n := range dtypes {
		x.Dtypes = append(x.Dtypes, CompatDtype{d, whole(n)})
	}
	slices.SortFunc(x.Dtypes, func(a, b CompatDtype) int {
		return cmp.Or(-cmp.Compare(a.Params, b.Params), cmp.Compare(a.Dtype, b.Dtype))
	})
	for _, d := range differ {
		x.Differences = append(x.Differences, *d)
	}
	slices.SortFunc(x.Differences, func(a, b Difference) int {
		return cmp.Or(-cmp.Compare(magnitude(a.Params), magnitude(b.Params)), cmp.Compare(a.Cause, b.Cause))
	})
}

func magnitude(n int64) int64 { return max(n, -n) }

// whole returns a float that is a whole number, or the largest int64.
func whole(n float64) int64 {
	if n >= 1<<63 {
		return 1<<63 - 1
	}
	return int64(n)
}
