// Entries in any form, and the faults of each member.

package header

import (
	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// entry reads the value of a tensor's member, whose name is at begin.
func (p *Parser) entry(name string, begin int) error {
	if most := p.MaxTensors; most > 0 && len(p.tensors) >= most {
		p.found(Limit, name, at(begin, p.Pos()), "the header has more tensors than the limit of %d", most)
		return errStop
	}
	e := rawEntry{info: Info{Name: name}}
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
		p.found(Member, name, at(start, p.Pos()), "tensor %s is %v, expected an object", wording.Quoted(name), kind)
		return nil // it has no fields
	}
	if missing := allFields &^ e.have; missing != 0 {
		p.found(Member, name, e.info.Entry, "tensor %s has no %v", wording.Quoted(name), missing)
		if p.counts[Member] > MaxOfRule {
			p.blind = true
			return nil // an Info takes more memory than the text of such an entry
		}
	} else if kind == jsonscan.Array && !e.surplus {
		p.found(MemberForm, name, e.info.Entry, "tensor %s is an array, expected an object", wording.Quoted(name))
	}
	p.keep(&e)
	return nil
}

// members reads an entry that is an object.
func (p *Parser) members(e *rawEntry) error {
	return p.Members(func(str jsonscan.Str, begin int) error {
		key := p.name(str)
		f := fieldOf(key)
		again := e.have&f != 0
		if err := p.value(e, f); err != nil {
			return err
		}
		switch {
		case f == 0:
			p.found(UnknownMember, e.info.Name, at(begin, p.Pos()), "tensor %s has the unknown member %s",
				wording.Quoted(e.info.Name), wording.Quoted(key))
		case again:
			p.found(Member, e.info.Name, at(begin, p.Pos()), "tensor %s has the member %s twice",
				wording.Quoted(e.info.Name), key)
		}
		return nil
	})
}

// positional reads an entry that is an array of the three fields in order,
// which the parser of the reference implementation accepts.
func (p *Parser) positional(e *rawEntry) error {
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
			p.found(Member, e.info.Name, at(begin, p.Pos()), "tensor %s is an array of more than three elements",
				wording.Quoted(e.info.Name))
		}
	}
}

// value reads the value of field f, or of an unknown member if f is 0.
func (p *Parser) value(e *rawEntry, f field) (err error) {
	var good bool
	e.good &^= f // if a field is there twice, the second one counts
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

// keep adds the entry to the tensors, and records fields that do not agree.
func (p *Parser) keep(e *rawEntry) {
	n := len(p.tensors)
	switch {
	case e.good&fieldOffsets == 0:
		e.info.Offsets = noOffsets
	case e.begin > e.end:
		e.info.Offsets = noOffsets
		p.mismatches = append(p.mismatches, mismatch{entry: n, rule: Offsets, begin: e.begin, end: e.end})
	default:
		e.info.Offsets = Span{clamp.Uint(e.begin), clamp.Uint(e.end)}
		if rule, want := e.sizeFault(); rule != None {
			p.mismatches = append(p.mismatches, mismatch{entry: n, rule: rule, begin: e.begin, end: e.end, want: want})
		}
	}
	p.endSize = 0
	p.tiled = p.tiled && e.info.Offsets.Begin == p.next
	p.next = e.info.Offsets.End
	*p.add(e.info.Name) = e.info
}

// sizeFault returns the rule that dtype, shape and offsets break together, and
// the size in bytes that dtype and shape require.
func (e *rawEntry) sizeFault() (rule Rule, want uint64) {
	if e.good&(fieldDtype|fieldShape) != fieldDtype|fieldShape {
		return None, 0
	}
	n, fits := Product(e.info.Shape)
	if !fits {
		return Overflow, 0
	}
	want, rule = Bytes(n, width(e.info.Dtype))
	if rule == None && want != e.end-e.begin {
		rule = TensorSize
	}
	return rule, want
}
