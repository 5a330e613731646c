// Package compat counts the parameters of a model like other programs, and explains the differences.
//
// The number on a model's page on the Hub, the number of Python's huggingface_hub, and the number of package
// model can all differ. Each reason is a sentence with the number of parameters that it accounts for, and these
// add up to the difference.
package compat

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// The counters.
const (
	HFJS           = "hf.js"           // @huggingface/hub, used by the Hub's pages
	HuggingFaceHub = "huggingface_hub" // the Python library
)

// A Result is what another program counts.
type Result struct {
	Name    string
	Version string // of the program whose rules are used

	Dtypes []Dtype // the one with the most first
	Total  int64

	// Refused is the reason why the other program returns no number, or "".
	Refused string

	// Differences explain why the total differs from that of package model, whose upper bound is used if it is
	// inexact. They add up to the difference.
	Differences []Difference
}

// A Dtype is the number of parameters of a dtype.
type Dtype struct {
	Dtype  safetensors.Dtype
	Params int64
}

// A Difference is one reason for a different total.
type Difference struct {
	Cause   string // a sentence
	Tensors int
	Params  int64 // how many more the other program counts; negative if fewer
}

// Names are the counters that Count knows.
func Names() []string { return []string{HFJS, HuggingFaceHub} }

// Count counts a model like the named program, by its rules and with its rounding. It returns an error if the
// name is not one of Names.
func Count(name string, m *model.Model) (*Result, error) {
	var other func(*model.Model) counter
	x := &Result{Name: name}
	switch name {
	case HFJS:
		other, x.Version = newHFJS, hfjsVersion
	case HuggingFaceHub:
		other, x.Version = newPythonHub, pythonHubVersion
	default:
		return nil, fmt.Errorf("compat: unknown counter %q; use %q or %q", name, HFJS, HuggingFaceHub)
	}
	x.compare(m, other(m))
	return x, nil
}

// compare adds up the counts of another program.
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

// plus returns a + b, limited to the range of int64.
func plus(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
