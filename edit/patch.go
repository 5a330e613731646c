// Patches: metadata changed in place, by one write.

package edit

import (
	"bytes"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// block is the unit in which a file is overwritten, in bytes: all changes lie in one aligned
// block. The package comment explains why.
const block = 4096

// lengthSize is the size of the header length at the start of a file.
const lengthSize = 8

// A patch replaces bytes of a file by as many others.
type patch struct {
	at       int64  // where in the file
	was, now []byte // of equal length
}

// span returns the range of bytes that a patch writes.
func (p *patch) span() safetensors.Span {
	return safetensors.Span{Begin: p.at, End: p.at + int64(len(p.now))}
}

// patchOf returns the patch that sets the metadata m in a valid file that begins with start,
// and changes nothing else. It returns nil if m does not fit, or if the changes are not in one
// block.
func patchOf(start []byte, m map[string]string) (*patch, error) {
	text := start[lengthSize:]
	begin, end, err := locate(text)
	if err != nil {
		return nil, err
	}
	member, err := (&safetensors.Header{Metadata: m}).AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	// This is a header with only the metadata: {"__metadata__":{...}}, padded.
	member = bytes.TrimRight(member[lengthSize+1:], " ")
	member = member[:len(member)-1]
	if next := bytes.TrimLeft(text[end:], " \t\r\n"); begin == end && next[0] != '}' {
		member = append(member, ',') // there was no metadata, and an entry follows
	}
	// The text that follows stays where it is if there are spaces before it, and can
	// otherwise move into the spaces at the end.
	spaces := len(text) - len(bytes.TrimRight(text, " "))
	switch missing := len(member) - (end - begin); {
	case missing > spaces:
		return nil, nil
	case missing > 0:
		member, end = append(member, text[end:len(text)-spaces]...), len(text)-spaces+missing
	default:
		member = append(member, bytes.Repeat([]byte{' '}, -missing)...)
	}
	p := &patch{lengthSize + int64(begin), bytes.Clone(text[begin:end]), member}
	p.trim()
	if len(p.now) > 0 && p.at/block != (p.at+int64(len(p.now))-1)/block {
		return nil, nil
	}
	return p, nil
}

// locate returns the range of the metadata in the text of a header, from the quote before its
// name to the spaces after the member. If there is none, the range is empty and is where it
// belongs.
func locate(text []byte) (begin, end int, err error) {
	s := jsonscan.New(text)
	if err := s.Open(jsonscan.Object); err != nil {
		return 0, 0, err
	}
	none := s.Pos()
	for first := true; ; first = false {
		more, err := s.More(jsonscan.Object, first)
		if err != nil || !more {
			return none, none, err
		}
		begin := s.Pos()
		key, err := s.Key()
		if err != nil {
			return 0, 0, err
		}
		name := bytes.Clone(s.Text(key.Begin, key.End))
		if _, _, err := s.Skip(); err != nil {
			return 0, 0, err
		}
		if string(jsonscan.Unescape(name)) == "__metadata__" {
			end := s.Pos()
			for text[end] == ' ' {
				end++
			}
			return begin, end, nil
		}
	}
}

// trim removes unchanged bytes from both ends of a patch.
func (p *patch) trim() {
	for len(p.now) > 0 && p.now[0] == p.was[0] {
		p.at, p.was, p.now = p.at+1, p.was[1:], p.now[1:]
	}
	for n := len(p.now); n > 0 && p.now[n-1] == p.was[n-1]; n-- {
		p.was, p.now = p.was[:n-1], p.now[:n-1]
	}
}
