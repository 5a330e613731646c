// The member "__metadata__".

package header

import (
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// readMetadata reads the value of "__metadata__", whose name is at begin.
func (p *Parser) readMetadata(begin int) error {
	if p.sawMeta {
		_, _, err := p.Skip()
		p.found(Metadata, "", at(begin, p.Pos()), "duplicate member __metadata__")
		return err
	}
	p.sawMeta = true
	if p.Next() != jsonscan.Object {
		return p.noMetadata()
	}
	p.metadata = make(map[string]string)
	start := p.Pos()
	if err := p.Open(jsonscan.Object); err != nil {
		return err
	}
	before := len(p.faults)
	tensor := false // it has the fields of a tensor
	for first := true; ; first = false {
		more, err := p.More(jsonscan.Object, first)
		if err != nil {
			return err
		}
		if more {
			shape, err := p.metadataMember()
			if err != nil {
				return err
			}
			tensor = tensor || shape
		}
		if most := p.MaxMetadata; most > 0 && int64(p.Pos()-start) > most {
			p.found(Limit, "", at(start, p.Pos()), "__metadata__ takes more bytes than the limit of %d", most)
			return errStop
		}
		if !more {
			break
		}
	}
	if tensor {
		p.blind = true // its data belongs to no listed tensor
		p.drop(before, Metadata)
		p.found(ReservedName, MetadataName, at(begin, p.Pos()), "a tensor has the reserved name \"__metadata__\"")
	}
	return nil
}

// noMetadata reads a value of "__metadata__" that is not an object.
func (p *Parser) noMetadata() error {
	start, kind, err := p.Skip()
	switch {
	case err != nil:
		return err
	case kind != jsonscan.Null:
		p.found(Metadata, "", at(start, p.Pos()), "__metadata__ is %v, expected an object", kind)
	case p.All:
		p.found(MetadataFormat, "", at(start, p.Pos()), "__metadata__ is null, which counts as absent")
	}
	return nil
}

// metadataMember reads one member of "__metadata__". It reports whether it is a
// member that only a tensor has.
func (p *Parser) metadataMember() (ofTensor bool, err error) {
	begin := p.Pos()
	str, err := p.Key()
	if err != nil {
		return false, err
	}
	key := p.name(str)
	if p.Next() != jsonscan.String {
		start, kind, err := p.Skip()
		if err != nil {
			return false, err
		}
		p.found(Metadata, "", at(start, p.Pos()), "__metadata__: %s is %v, expected a string",
			wording.Quoted(key), kind)
		return kind == jsonscan.Array && (key == "shape" || key == "data_offsets"), nil
	}
	if str, err = p.Str(); err != nil {
		return false, err
	}
	if _, twice := p.metadata[key]; twice {
		p.found(DuplicateName, "", at(begin, p.Pos()), "__metadata__ has the key %s twice", wording.Quoted(key))
	}
	p.metadata[key] = p.name(str)
	return false, nil
}
