// Comparing a model with a signature.

package identity

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// A verdict is the result of a condition.
type verdict int

const (
	no    verdict = iota
	maybe         // the shape of a packed weight is unknown
	yes
)

// An Evidence is one fact that decided.
type Evidence struct {
	Tensor *safetensors.TensorInfo // nil for a fact that is not about one tensor
	Text   string                  // such as "19 layers below double_blocks.", or "" if the tensor says all
}

// judged is a signature that matches below a root.
type judged struct {
	of       *Signature
	root     string
	verdict  verdict
	evidence []Evidence
	misfits  []Evidence // tensors whose shapes are those of none of the versions
}

// judge compares a model with all conditions of a signature. Misfit is the tensor that all but the shape fits, if that
// is the only reason why the signature does not match.
func (v *inventory) judge(s *Signature, root string) (j judged, misfit *safetensors.TensorInfo) {
	j = judged{of: s, root: root, verdict: yes}
	for i := range s.conditions {
		c := &s.conditions[i]
		got, e, wrong := v.check(c, root)
		j.verdict = min(j.verdict, got)
		if got == no {
			if wrong == nil {
				return j, nil
			}
			misfit = wrong
		}
		if got == yes && (e.Tensor != nil || e.Text != "") {
			j.evidence = append(j.evidence, e)
		}
	}
	return j, misfit
}

// check checks one condition. Wrong is a tensor that has the name and another shape.
func (v *inventory) check(c *condition, root string) (got verdict, e Evidence, wrong *safetensors.TensorInfo) {
	switch c.verb {
	case has:
		return v.checkNames(c, root)
	case lacks:
		got, _, _ := v.checkNames(c, root)
		return yes - got, e, nil
	case layers:
		if n := v.counts[root+c.key]; n >= c.low && n <= c.high {
			return yes, Evidence{Text: fmt.Sprintf("%d layers below %s", n, strings.TrimSuffix(root+c.key, "."))}, nil
		}
	case ends:
		if n := v.ends[c.key]; n > 0 {
			return yes, Evidence{Text: fmt.Sprintf("%d names end in %s", n, c.key)}, nil
		}
	case metadata:
		if text, ok := v.text(c.key); ok && fits(c.value, text) {
			return yes, Evidence{Text: "metadata " + c.key + " = " + text}, nil
		}
	case member:
		if text, ok := v.member(c.key); ok && fits(c.value, text) {
			return yes, Evidence{Text: "config.json " + c.key + " = " + text}, nil
		}
	case architecture:
		return v.checkArchitecture(c)
	case size:
		if n := v.size(c.key); n >= c.low && n <= c.high {
			return yes, Evidence{Text: fmt.Sprintf("%s %d", c.key, n)}, nil
		}
	case tensors:
		if n := int64(len(v.order)); n >= c.low && n <= c.high {
			return yes, Evidence{Text: fmt.Sprintf("%d tensors in all", n)}, nil
		}
	}
	return no, e, nil
}

// fits reports whether a text fits a pattern with "*" for any text. The pattern "" fits all.
func fits(pattern, text string) bool {
	if pattern == "" || pattern == text {
		return true
	}
	// A slash is an ordinary character here.
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(text, "/", "\x01"))
	return ok
}

// member returns a member of config.json as text: a string without quotes, or the text of another value.
func (v *inventory) member(key string) (string, bool) {
	m := v.config.Find(key)
	switch m.Kind() {
	case 0, jsonscan.Null, jsonscan.Object:
		return "", false
	case jsonscan.Array:
		for e := range m.Elements() { // "architectures" has one
			if text, ok := e.Str(); ok {
				return text, true
			}
			break
		}
	}
	if text, ok := m.Str(); ok {
		return text, true
	}
	return string(m.Text()), true
}

// checkNames checks whether the model has one of several tensors.
func (v *inventory) checkNames(c *condition, root string) (got verdict, e Evidence, wrong *safetensors.TensorInfo) {
	for i := range c.any {
		p := &c.any[i]
		if p.prefix {
			if v.prefixes[p.below(root)] {
				return yes, Evidence{Text: "names begin with " + p.name}, nil
			}
			continue
		}
		ti, packed := v.find(root, p)
		if ti == nil {
			continue
		}
		one := shapeFits(p.shape, ti, packed)
		if one > got {
			got, e = one, Evidence{Tensor: ti}
		}
		if one == yes {
			return yes, e, nil
		}
		if one == no {
			wrong = ti
		}
	}
	return got, e, wrong
}

// shapeFits compares the shape of a tensor. Values of 4 or 8 bits may be packed into larger elements: then the number
// of elements tells whether the shape can be the weight's.
func shapeFits(want []int64, ti *safetensors.TensorInfo, packed bool) verdict {
	if want == nil {
		return yes
	}
	if packed {
		return maybe
	}
	if fitting(want, ti.Shape) {
		return yes
	}
	if !holdsSeveral(ti.Dtype) || len(want) != 2 {
		return no
	}
	n := int64(1)
	for _, d := range want {
		if d == anyDim {
			return maybe
		}
		n *= d
	}
	has := ti.NumElems()
	if has > 0 && (has*2 == n || has*4 == n || has*8 == n) {
		return yes
	}
	return no
}

// holdsSeveral reports whether packers put several values into an element of the dtype.
func holdsSeveral(d safetensors.Dtype) bool {
	return d == safetensors.U8 || d == safetensors.I8 || d == safetensors.I32
}

// fitting reports whether a shape is the wanted one.
func fitting(want, shape []int64) bool {
	if shape == nil || len(want) != len(shape) {
		return false
	}
	for i, d := range want {
		if d != anyDim && d != shape[i] {
			return false
		}
	}
	return true
}

// String describes the evidence in one line.
func (e Evidence) String() string {
	if e.Tensor == nil {
		return e.Text
	}
	var b strings.Builder
	b.WriteString(e.Tensor.Name)
	b.WriteString(" [")
	for i, d := range e.Tensor.Shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	b.WriteString("]")
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	return b.String()
}
