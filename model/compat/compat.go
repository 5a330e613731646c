// Compatibility: the numbers of others, by their rules, and why ours differ.

// Package compat counts the parameters of a model as other programs do, and says why
// their numbers are not those of package model.
//
// The number on a model's page on the Hub, the one that Python's library gives, and
// ours can all differ. Each reason is one sentence, and comes with how many parameters
// it makes up, so that the differences add up to the whole.
package compat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// The counters that there are.
const (
	HFJS           = "hf.js"           // @huggingface/hub, which the Hub's pages use
	HuggingFaceHub = "huggingface_hub" // the library for Python
)

// A Result is the number of another counter.
type Result struct {
	Name    string
	Version string // whose rules these are

	Dtypes []Dtype // that with the most first
	Total  int64

	// Refused says why the other counter gives no number, "" if it does.
	Refused string

	// Differences say why the total is not ours, which is taken for the most that it
	// can be if it is not known exactly. Their sum is what the totals differ by.
	Differences []Difference
}

// A Dtype is what another counter says of a dtype.
type Dtype struct {
	Dtype  safetensors.Dtype
	Params int64
}

// A Difference is one reason why another counter differs.
type Difference struct {
	Cause   string // a sentence
	Tensors int
	Params  int64 // how many more the other counts; below 0, how many fewer
}

// Names are the counters that Count knows.
func Names() []string { return []string{HFJS, HuggingFaceHub} }

// Count counts a model as the named counter does, by its rules and with its rounding.
// It is an error if there is no counter of that name.
func Count(name string, m *model.Model) (*Result, error) {
	var other func(*model.Model) counter
	x := &Result{Name: name}
	switch name {
	case HFJS:
		other, x.Version = newHFJS, hfjsVersion
	case HuggingFaceHub:
		other, x.Version = newPythonHub, pythonHubVersion
	default:
		return nil, fmt.Errorf("compat: there is no counter %q, but %q and %q", name, HFJS, HuggingFaceHub)
	}
	x.compare(m, other(m))
	return x, nil
}

// A counter is another counter, of one model.
type counter interface {
	// refuses says why there is no number at all, or "".
	refuses() string
	// params is how many parameters a tensor has.
	params(*safetensors.TensorInfo, *model.Verdict) float64
	// cause says why that is not what the verdict has.
	cause(ti *safetensors.TensorInfo, v *model.Verdict, theirs float64) string
}

// compare adds up what another counter counts.
func (x *Result) compare(m *model.Model, other counter) {
	if x.Refused = other.refuses(); x.Refused != "" {
		return
	}
	dtypes := make(map[safetensors.Dtype]float64)
	differ := make(map[string]*Difference)
	total := 0.0
	for ti, v := range model.Judge(m) {
		if m.Only != nil && !m.Only(ti) {
			continue
		}
		n := other.params(ti, v)
		if n != 0 {
			dtypes[ti.Dtype] += n
			total += n
		}
		if whole(n) == v.Params.High {
			continue
		}
		cause := other.cause(ti, v, n)
		d := differ[cause]
		if d == nil {
			d = &Difference{Cause: cause}
			differ[cause] = d
		}
		d.Tensors++
		d.Params = plus(d.Params, whole(n)-v.Params.High)
	}
	x.Total = whole(total)
	for d, n := range dtypes {
		x.Dtypes = append(x.Dtypes, Dtype{d, whole(n)})
	}
	slices.SortFunc(x.Dtypes, func(a, b Dtype) int {
		return cmp.Or(-cmp.Compare(a.Params, b.Params), cmp.Compare(a.Dtype, b.Dtype))
	})
	for _, d := range differ {
		x.Differences = append(x.Differences, *d)
	}
	slices.SortFunc(x.Differences, func(a, b Difference) int {
		return cmp.Or(-cmp.Compare(magnitude(a.Params), magnitude(b.Params)), cmp.Compare(a.Cause, b.Cause))
	})
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// plus returns a + b, or the nearest number that there is.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// whole returns a float that is a whole number, or the largest int64.
func whole(n float64) int64 {
	if n >= 1<<63 {
		return 1<<63 - 1
	}
	return int64(n)
}
