// An entry in any form that the rules know: what is wrong with it, member by member.

package safetensors

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// A field is one of the three members of an entry. Fields are bits of a set.
type field uint8

const (
	fieldDtype field = 1 << iota
	fieldShape
	fieldOffsets
)

var fieldNames = [...]struct {
	field field
	name  string
}{{fieldDtype, "dtype"}, {fieldShape, "shape"}, {fieldOffsets, "data_offsets"}}

// fieldOf returns the field of the given name, or 0.
func fieldOf(name string) field {
	for _, f := range fieldNames {
		if f.name == name {
			return f.field
		}
	}
	return 0
}

// A rawEntry is an entry as it stands, with its offsets in 64 bits.
type rawEntry struct {
	info       TensorInfo
	begin, end uint64
	have, good field // the fields that are there, and those that are well-formed
	surplus    bool  // it is an array of more than three
}

// missing lists the fields that the entry does not have.
func (e *rawEntry) missing() string {
	var names []string
	for _, f := range fieldNames {
		if e.have&f.field == 0 {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", no ")
}

// entry reads the value of a tensor's member, whose name is at begin.
func (p *parser) entry(name string, begin int) error {
	if most := p.limits.MaxTensors; most > 0 && len(p.tensors) >= most {
		p.found(RuleLimit, name, at(begin, p.Pos()), "the header has more than the %d tensors that are allowed", most)
		return errStop
	}
	if p.plain(name, begin) {
		return nil
	}
	e := rawEntry{info: TensorInfo{Name: name}}
	var err error
	kind := p.Next()
	start := p.Pos()
	switch kind {
	case jsonscan.Object:
		err = p.members(&e)
	case jsonscan.Array:
		err = p.positional(&e)
	default:
		_, _, err = p.Skip()
	}
	if err != nil {
		return err
	}
	e.info.Entry = at(begin, p.Pos())
	if kind != jsonscan.Object && kind != jsonscan.Array {
		p.blind = true
		p.found(RuleMember, name, at(start, p.Pos()), "tensor %s is %v, where an object is due", quote(name), kind)
		return nil // there is nothing to list
	}
	if missing := e.missing(); missing != "" {
		p.found(RuleMember, name, e.info.Entry, "tensor %s has no %s", quote(name), missing)
	} else if kind == jsonscan.Array && !e.surplus {
		p.found(RuleMemberForm, name, e.info.Entry, "tensor %s is an array, where an object is due", quote(name))
	}
	p.keep(&e)
	return nil
}

// members reads an entry that is an object.
func (p *parser) members(e *rawEntry) error {
	if err := p.Open(jsonscan.Object); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := p.More(jsonscan.Object, first)
		if !more || err != nil {
			return err
		}
		begin := p.Pos()
		str, err := p.Key()
		if err != nil {
			return err
		}
		key := p.name(str)
		f := fieldOf(key)
		again := e.have&f != 0
		if err := p.value(e, f); err != nil {
			return err
		}
		switch {
		case f == 0:
			p.found(RuleUnknownMember, e.info.Name, at(begin, p.Pos()), "tensor %s has a member %s, which the format does not know", quote(e.info.Name), quote(key))
		case again:
			p.found(RuleMember, e.info.Name, at(begin, p.Pos()), "tensor %s has %s twice", quote(e.info.Name), key)
		}
	}
}

// positional reads an entry that is an array of the three fields in their
// order, which the reference implementation's parser accepts unasked.
func (p *parser) positional(e *rawEntry) error {
	if err := p.Open(jsonscan.Array); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := p.More(jsonscan.Array, i == 0)
		if !more || err != nil {
			return err
		}
		p.Next()
		begin := p.Pos()
		var f field
		if i < len(fieldNames) {
			f = fieldNames[i].field
		}
		if err := p.value(e, f); err != nil {
			return err
		}
		if f == 0 {
			e.surplus = true
			p.found(RuleMember, e.info.Name, at(begin, p.Pos()), "tensor %s is an array of more than three", quote(e.info.Name))
		}
	}
}

// value reads the value of field f, or of no field if f is 0.
func (p *parser) value(e *rawEntry, f field) (err error) {
	var good bool
	switch f {
	case fieldDtype:
		good, err = p.dtype(e)
	case fieldShape:
		good, err = p.shape(e)
	case fieldOffsets:
		good, err = p.offsets(e)
	default:
		_, _, err = p.Skip()
	}
	e.have |= f
	if good {
		e.good |= f
	}
	return err
}

// dtype reads a dtype.
func (p *parser) dtype(e *rawEntry) (bool, error) {
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
			p.found(RuleDtype, e.info.Name, at(begin, p.Pos()), "tensor %s has %v as dtype, where a string is due", quote(e.info.Name), kind)
			return false, nil
		}
		p.found(RuleMemberForm, e.info.Name, at(begin, p.Pos()), "tensor %s has an object as dtype, where a string is due", quote(e.info.Name))
	}
	if i := Dtype(name).rank(); i >= 0 {
		e.info.Dtype = dtypes[i].name
		return true, nil
	}
	e.info.Dtype = Dtype(name)
	p.found(RuleDtype, e.info.Name, at(begin, p.Pos()), "tensor %s has the dtype %s, which is none of the format's", quote(e.info.Name), quote(name))
	return false, nil
}

// unitVariant reads {"NAME":null}, which the reference implementation's parser
// accepts for "NAME" unasked. It returns "" for any other object.
func (p *parser) unitVariant() (string, error) {
	if err := p.Open(jsonscan.Object); err != nil {
		return "", err
	}
	name, members := "", 0
	for ; ; members++ {
		more, err := p.More(jsonscan.Object, members == 0)
		if err != nil {
			return "", err
		}
		if !more {
			break
		}
		str, err := p.Key()
		if err != nil {
			return "", err
		}
		key := p.name(str)
		_, kind, err := p.Skip()
		if err != nil {
			return "", err
		}
		if kind == jsonscan.Null {
			name = key
		}
	}
	if members != 1 {
		return "", nil
	}
	return name, nil
}

// shape reads a shape.
func (p *parser) shape(e *rawEntry) (bool, error) {
	const high = 32 // a rank above it is no honest tensor's
	begin, dims, good, err := p.integers(RuleShape, e.info.Name, "shape")
	if err != nil || !good {
		return false, err
	}
	if len(dims) <= high {
		room := p.room(len(dims))
		for i, d := range dims {
			room[i] = int64(d)
		}
		e.info.Shape = p.take(len(dims))
		return true, nil
	}
	// A dimension takes 8 bytes, and its text may take 2: shapes that are
	// nothing but length are held once for all tensors that have them.
	text := string(p.Text(begin, p.Pos()))
	shape, ok := p.long[text]
	if !ok {
		shape = make([]int64, len(dims))
		for i, d := range dims {
			shape[i] = int64(d)
		}
		if p.long == nil {
			p.long = make(map[string][]int64)
		}
		p.long[text] = shape
	}
	e.info.Shape = shape
	return true, nil
}

// offsets reads data_offsets.
func (p *parser) offsets(e *rawEntry) (bool, error) {
	begin, v, good, err := p.integers(RuleOffsets, e.info.Name, "data_offsets")
	if err != nil || !good {
		return false, err
	}
	if len(v) != 2 {
		p.found(RuleOffsets, e.info.Name, at(begin, p.Pos()), "tensor %s has %d data_offsets, where 2 are due", quote(e.info.Name), len(v))
		return false, nil
	}
	e.begin, e.end = v[0], v[1]
	return true, nil
}

// integers reads an array of integers, the value of the named field. It returns
// where the array begins, and whether it is well-formed. What it returns is
// good until it is called again.
func (p *parser) integers(rule Rule, tensor, name string) (begin int, v []uint64, good bool, err error) {
	kind := p.Next()
	begin = p.Pos()
	if kind != jsonscan.Array {
		_, _, err = p.Skip()
		p.found(rule, tensor, at(begin, p.Pos()), "tensor %s has %v as %s, where an array is due", quote(tensor), kind, name)
		return begin, nil, false, err
	}
	if err := p.Open(jsonscan.Array); err != nil {
		return begin, nil, false, err
	}
	v, good = p.scratch[:0], true
	for {
		more, err := p.More(jsonscan.Array, len(v) == 0)
		if !more || err != nil {
			p.scratch = v
			return begin, v, good, err
		}
		n, ok, err := p.integer(rule, tensor, name, good)
		if err != nil {
			return begin, nil, false, err
		}
		good = good && ok
		v = append(v, n)
		if most := p.limits.MaxRank; most > 0 && len(v) > most && rule == RuleShape {
			p.found(RuleLimit, tensor, at(begin, p.Pos()), "tensor %s has more than the %d dimensions that are allowed", quote(tensor), most)
			return begin, nil, false, errStop
		}
	}
}

// integer reads one integer of an array. It reports one that is not, if report.
func (p *parser) integer(rule Rule, tensor, name string, report bool) (v uint64, ok bool, err error) {
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
		p.found(rule, tensor, at(begin, p.Pos()), "tensor %s has %s in its %s, where an integer from 0 to 2^64-1 is due",
			quote(tensor), excerpt(p.Text(begin, p.Pos())), name)
	}
	return v, ok, nil
}

// excerpt returns a piece of the header as it stands, shortened if it is long,
// and quoted if it is no plain part of a line.
func excerpt(b []byte) string {
	const most = 40
	if len(b) > most {
		return quote(string(b[:most])) + "..."
	}
	if bytes.ContainsFunc(b, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return quote(string(b))
	}
	return string(b)
}

// keep adds the entry to the tensors, and notes what does not agree in it.
func (p *parser) keep(e *rawEntry) {
	n := len(p.tensors)
	switch {
	case e.good&fieldOffsets == 0:
		e.info.Offsets = noOffsets
	case e.begin > e.end:
		e.info.Offsets = noOffsets
		p.faults = append(p.faults, fault{entry: n, rule: RuleOffsets, begin: e.begin, end: e.end})
	default:
		e.info.Offsets = Span{saturate(e.begin), saturate(e.end)}
		if rule, want := e.sizeFault(); rule != "" {
			p.faults = append(p.faults, fault{entry: n, rule: rule, begin: e.begin, end: e.end, want: want})
		}
	}
	p.endSize = 0
	p.tiled = p.tiled && e.info.Offsets.Begin == p.next
	p.next = e.info.Offsets.End
	*p.add(e.info.Name) = e.info
}

// sizeFault returns the rule that dtype, shape and offsets break together, and
// the size in bytes that the first two make.
func (e *rawEntry) sizeFault() (rule Rule, want uint64) {
	if e.good&(fieldDtype|fieldShape) != fieldDtype|fieldShape {
		return "", 0
	}
	n, fits := product(e.info.Shape)
	if !fits {
		return RuleOverflow, 0
	}
	want, rule = bitsToBytes(n, e.info.Dtype.Bits())
	if rule == "" && want != e.end-e.begin {
		rule = RuleTensorSize
	}
	return rule, want
}
