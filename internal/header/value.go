// The fields of an entry, and the faults of their values.

package header

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/num"
	"github.com/weightools/safetensors/internal/wording"
)

// dtype reads a dtype.
func (p *Parser) dtype(e *rawEntry) (bool, error) {
	kind := p.Next()
	begin := p.Pos()
	var name string
	switch kind {
	case jsonscan.String:
		str, err := p.Str()
		if err != nil {
			return false, err
		}
		name = p.name(str)
	default:
		if kind == jsonscan.Object {
			var err error
			if name, err = p.unitVariant(); err != nil {
				return false, err
			}
		} else if _, _, err := p.Skip(); err != nil {
			return false, err
		}
		if name == "" {
			p.found(Dtype, e.info.Name, at(begin, p.Pos()), "tensor %s: dtype is %v, expected a string",
				wording.Quoted(e.info.Name), kind)
			return false, nil
		}
		p.found(MemberForm, e.info.Name, at(begin, p.Pos()), "tensor %s: dtype is an object, expected a string",
			wording.Quoted(e.info.Name))
	}
	if c := num.For(name); c != nil {
		e.info.Dtype = c.Dtype()
		return true, nil
	}
	e.info.Dtype = name
	p.found(Dtype, e.info.Name, at(begin, p.Pos()), "tensor %s has the unknown dtype %s%s",
		wording.Quoted(e.info.Name), wording.Quoted(name), meant(name))
	return false, nil
}

// meant suggests the dtype that a name of another library means, as the
// end of a sentence, or returns "".
func meant(name string) string {
	name = strings.ToLower(strings.TrimPrefix(strings.ToLower(name), "torch."))
	for prefix, short := range map[string]string{"bfloat": "BF", "float": "F", "uint": "U", "int": "I"} {
		if width, ok := strings.CutPrefix(name, prefix); ok {
			name = short + width
			break
		}
	}
	if d := strings.ToUpper(name); num.For(d) != nil {
		return fmt.Sprintf("; did you mean %s?", d)
	}
	return ""
}

// unitVariant reads {"NAME":null}, which the parser of the reference
// implementation accepts for "NAME". It returns "" for any other object.
func (p *Parser) unitVariant() (string, error) {
	name, members := "", 0
	err := p.Members(func(str jsonscan.Str, _ int) error {
		members++
		key := p.name(str)
		_, kind, err := p.Skip()
		if kind == jsonscan.Null {
			name = key
		}
		return err
	})
	if err != nil || members != 1 {
		return "", err
	}
	return name, nil
}

// shape reads a shape.
func (p *Parser) shape(e *rawEntry) (bool, error) {
	const high = 32 // no real tensor has a higher rank
	n, end := p.items()
	begin := p.Pos()
	if n <= high {
		room := p.room(n)
		good, err := p.integers(Shape, e.info.Name, "shape", room)
		if good {
			e.info.Shape = p.take(n)
		}
		return good, err
	}
	// A dimension takes 8 bytes, and its text may take 2. So tensors of the same
	// long shape share it, lest a hostile header take four times its size.
	if shape, ok := p.long[string(p.text[begin:end])]; ok {
		p.Seek(end)
		e.info.Shape = shape
		return true, nil
	}
	if most := p.MaxRank; most > 0 && n > most {
		p.found(Limit, e.info.Name, at(begin, end), "tensor %s has more dimensions than the limit of %d",
			wording.Quoted(e.info.Name), most)
		return false, errStop
	}
	shape := make([]int64, n)
	good, err := p.integers(Shape, e.info.Name, "shape", shape)
	if good {
		if p.long == nil {
			p.long = make(map[string][]int64)
		}
		p.long[view(p.text[begin:end])] = shape
		e.info.Shape = shape
	}
	return good, err
}

// items returns how many integers are in the array that begins here, and where
// it ends. It returns 0 if the value is not an array of what may be integers.
func (p *Parser) items() (n, end int) {
	if p.Next() != jsonscan.Array {
		return 0, p.Pos()
	}
	digits := false
	for i := p.Pos() + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case '0' <= c && c <= '9':
			digits = true
		case c == ',':
			n++
		case c == ']' && digits:
			return n + 1, i + 1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			return 0, p.Pos()
		}
	}
	return 0, p.Pos()
}

// offsets reads data_offsets.
func (p *Parser) offsets(e *rawEntry) (bool, error) {
	n, _ := p.items()
	begin := p.Pos()
	var v [2]int64
	good, err := p.integers(Offsets, e.info.Name, "data_offsets", v[:])
	if good && n != len(v) {
		p.found(Offsets, e.info.Name, at(begin, p.Pos()), "tensor %s has %s, expected 2",
			wording.Quoted(e.info.Name), wording.Count(n, "data_offset"))
		good = false
	}
	e.begin, e.end = uint64(v[0]), uint64(v[1])
	return good, err
}

// integers reads an array of integers, the value of the named field, and stores
// as many as fit in dst. It reports whether the array is well-formed.
func (p *Parser) integers(rule Rule, tensor, name string, dst []int64) (good bool, err error) {
	kind := p.Next()
	begin := p.Pos()
	if kind != jsonscan.Array {
		_, _, err = p.Skip()
		p.found(rule, tensor, at(begin, p.Pos()), "tensor %s: %s is %v, expected an array",
			wording.Quoted(tensor), name, kind)
		return false, err
	}
	if err := p.Open(jsonscan.Array); err != nil {
		return false, err
	}
	good = true
	for n := 0; ; n++ {
		more, err := p.More(jsonscan.Array, n == 0)
		if !more || err != nil {
			return good && err == nil, err
		}
		v, ok, err := p.integer(rule, tensor, name, good)
		if err != nil {
			return false, err
		}
		good = good && ok
		if n < len(dst) {
			dst[n] = int64(v)
		}
		if most := p.MaxRank; most > 0 && n >= most && rule == Shape {
			p.found(Limit, tensor, at(begin, p.Pos()), "tensor %s has more dimensions than the limit of %d",
				wording.Quoted(tensor), most)
			return false, errStop
		}
	}
}

// integer reads one element of an array. If report, it records a fault if that
// is not an integer.
func (p *Parser) integer(rule Rule, tensor, name string, report bool) (v uint64, ok bool, err error) {
	kind := p.Next()
	begin := p.Pos()
	if kind == jsonscan.Number {
		num, err := p.Num()
		if err != nil {
			return 0, false, err
		}
		if num.Integer {
			v, ok = jsonscan.Uint(p.Text(num.Begin, num.End))
		}
	} else if _, _, err := p.Skip(); err != nil {
		return 0, false, err
	}
	if !ok && report {
		p.found(rule, tensor, at(begin, p.Pos()), "tensor %s: %s has %s, expected an integer from 0 to 2^64-1",
			wording.Quoted(tensor), name, excerpt(p.Text(begin, p.Pos())))
	}
	return v, ok, nil
}

// excerpt returns a piece of the header for a message: shortened if it is long,
// and quoted if it has characters that cannot be printed.
func excerpt(b []byte) string {
	const most = 40
	if len(b) > most {
		return wording.Quote(string(b[:most])) + "..."
	}
	if bytes.ContainsFunc(b, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return wording.Quote(string(b))
	}
	return string(b)
}
