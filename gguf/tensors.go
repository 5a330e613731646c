// Parsing the entries of tensors.

package gguf

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/wording"
)

// tensor reads the entry of a tensor.
func (p *parser) tensor() error {
	begin := p.at
	name, err := p.name("the name of a tensor")
	if err != nil {
		return err
	}
	t := TensorInfo{Name: name, size: -1}
	if err := p.dims(&t); err != nil {
		return err
	}
	kind, err := p.uint(4)
	if err != nil {
		return err
	}
	if t.offset, err = p.uint(8); err != nil {
		return err
	}
	t.Type = Type(kind)
	t.entry = span(begin, p.at)
	p.judgeName(&t)
	p.judgeSize(&t)
	p.Tensors = append(p.Tensors, t)
	return nil
}

// dims reads the dimensions of a tensor. Those of a tensor with too many are not kept.
func (p *parser) dims(t *TensorInfo) error {
	begin := p.at
	rank, err := p.uint(4)
	if err != nil {
		return err
	}
	if rank > mostRank {
		p.found.Add(RuleRank, t.Name, span(begin, begin+4), "tensor %s has %d dimensions",
			wording.Quote(t.Name), rank)
		if rank > uint64(p.left()/int64(p.length)) {
			return errStop
		}
		p.at += int64(p.length) * int64(rank)
		t.Dims = []int64{-1}
		return nil
	}
	t.Dims = make([]int64, rank)
	for i := range t.Dims {
		d, err := p.uint(p.length)
		if err != nil {
			return err
		}
		t.Dims[i] = int64(d)
		if d > math.MaxInt64 {
			p.found.Add(RuleShape, t.Name, span(p.at-int64(p.length), p.at), "tensor %s has a dimension of %d",
				wording.Quote(t.Name), d)
			t.Dims[i] = -1
		}
	}
	return nil
}

// judgeName judges the name of a tensor.
func (p *parser) judgeName(t *TensorInfo) {
	const most = 64 // bytes; gguf.cpp needs one of them for a NUL
	rule, is := RuleOddName, ""
	switch name := t.Name; {
	case len(name) > most:
		rule, is = RuleTensorName, fmt.Sprintf("has %d bytes", len(name))
	case !utf8.ValidString(name) || strings.Contains(name, "\x00"):
		rule, is = RuleTensorName, "has a NUL or is not UTF-8"
	case name == "" || len(name) == most:
		is = fmt.Sprintf("has %d bytes", len(name))
	case strings.ContainsFunc(name, unicode.IsControl):
		is = "has control characters"
	case path.IsAbs(name) || strings.ContainsAny(name, `\`) || path.Clean(name) != name || strings.HasPrefix(name, ".."):
		is = "is like a path"
	}
	if is != "" {
		p.found.Add(rule, t.Name, t.entry, "the name of tensor %s %s", wording.Quote(t.Name), is)
	}
}

// judgeSize computes the size of a tensor, and judges its shape and type.
func (p *parser) judgeSize(t *TensorInfo) {
	n, ok := product(t.Dims)
	switch {
	case !ok && len(t.Dims) > 0 && slices.Min(t.Dims) >= 0:
		p.found.Add(RuleShape, t.Name, t.entry, "tensor %s has the shape %s, whose product exceeds 63 bits",
			wording.Quote(t.Name), t.ShapeString())
		return
	case !ok:
		return // reported when it was read
	}
	elements, size := t.Type.Block()
	if elements == 0 {
		p.found.Add(RuleTensorType, t.Name, t.entry, "tensor %s is of %v, which llama.cpp does not have",
			wording.Quote(t.Name), t.Type)
		return
	}
	if elements > 1 && n > 0 && (len(t.Dims) == 0 || t.Dims[0]%int64(elements) != 0) {
		p.found.Add(RuleBlock, t.Name, t.entry, "tensor %s has rows of %d elements, and a block of %v has %d",
			wording.Quote(t.Name), rowOf(t), t.Type, elements)
		return
	}
	if blocks := n / int64(elements); blocks > (math.MaxInt64-p.Alignment)/int64(size) {
		p.found.Add(RuleShape, t.Name, t.entry,
			"tensor %s has the shape %s, which takes more bytes than 63 bits can count",
			wording.Quote(t.Name), t.ShapeString())
	} else {
		t.size = blocks * int64(size)
	}
}

func rowOf(t *TensorInfo) int64 {
	if len(t.Dims) == 0 {
		return 1
	}
	return t.Dims[0]
}
