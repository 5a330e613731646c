// Parsing the text of an index.

package index

import (
	"bytes"
	"math"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// Parse parses the text of an index of safetensors files. It continues after a fault where
// it can, so the Index has what could be read, and is never nil. The report has the
// violations of the rules index-json, index-path and total-size that need no shards; it
// has no Header.
//
// Entries whose shard's name has a fault are in the Index.
func Parse(text []byte) (*Index, *safetensors.Report) {
	p := ParseLimited(text, math.MaxInt, naming.WeightsSuffix)
	return p.Index, p.Report()
}

// ParseLimited parses the text of an index that may name at most maxShards shards, whose
// names end in one of ends.
func ParseLimited(text []byte, maxShards int, ends ...string) *Parser {
	// An entry has four quotes, and at least eleven bytes in a large index. Memory for all is not
	// touched before it is used, and growing it would take half as much more.
	room := min(bytes.Count(text, []byte{'"'})/4, len(text)/11)
	p := Parser{
		Scanner: jsonscan.New(text), text: text,
		Index: &Index{
			TotalSize: -1, TotalParameters: -1,
			Tensors: make([]Entry, 0, room), ascending: true,
		},
		shards: make(map[string]string), maxShards: maxShards, ends: ends,
	}
	p.parse()
	p.judgePaths()
	return &p
}

// A Parser parses one index.
type Parser struct {
	jsonscan.Scanner
	finding.Findings
	text   []byte
	Index  *Index
	shards map[string]string // names of shards, which entries share
	names  strings.Builder   // names of tensors; the text in it never moves
	sawMap bool              // there was a weight_map

	ends      []string // that names of shards may have
	maxShards int
	Overflow  *safetensors.Violation // the violation of maxShards, which ends parsing; or nil
}

// wrong records a violation of the form of an index.
func (p *Parser) wrong(tensor string, begin, end int, format string, args ...any) {
	p.Add(finding.IndexJSON, tensor, span(begin, end), format, args...)
}

func span(begin, end int) safetensors.Span {
	return safetensors.Span{Begin: int64(begin), End: int64(end)}
}

func (p *Parser) parse() {
	err := p.object()
	if err == nil {
		err = p.End()
	}
	if at := jsonscan.InvalidUTF8(p.text); at < len(p.text) {
		p.wrong("", at, at+1, "byte %#02x at byte %d of the index is not UTF-8", p.text[at], at)
	}
	p.Index.truncated = err != nil
	found := filetype.DetectHead(p.text[:min(len(p.text), filetype.HeadSize)])
	switch {
	case err != nil && len(p.Index.Tensors) == 0 && found.Kind.StandIn():
		p.wrong("", 0, min(len(p.text), 100), "the index is %s", found)
	case err != nil:
		p.wrong("", p.Pos(), min(p.Pos()+1, len(p.text)), "index: %v", err)
	case !p.sawMap:
		p.wrong("", 0, len(p.text), "the index has no weight_map")
	}
}

// object parses the object of the index.
func (p *Parser) object() error {
	return p.members(func(key string, begin int) error {
		switch {
		case key == "metadata":
			return p.inObject(key, begin, p.metadata)
		case key == "weight_map" && p.sawMap:
			p.wrong("", begin, p.Pos(), "weight_map occurs twice")
			return p.inObject(key, begin, p.entry)
		case key == "weight_map":
			p.sawMap = true
			return p.inObject(key, begin, p.entry)
		}
		_, _, err := p.Skip()
		return err
	})
}

// members parses an object. It calls member for each member with the begin of its name, and member
// parses the value.
func (p *Parser) members(member func(key string, begin int) error) error {
	return p.Members(func(key jsonscan.Str, begin int) error { return member(p.unquoted(key), begin) })
}

// inObject parses the value of the named member, an object. A value of another kind is reported;
// null is an object without members.
func (p *Parser) inObject(name string, begin int, member func(string, int) error) error {
	if p.Next() == jsonscan.Object {
		return p.members(member)
	}
	_, kind, err := p.Skip()
	if err == nil && (kind != jsonscan.Null || name == "weight_map") {
		p.wrong("", begin, p.Pos(), "%s is %v instead of an object", name, kind)
	}
	return err
}

// unquoted returns an unescaped copy of a string. Many strings share a block of memory, because
// allocating each would dominate the time.
func (p *Parser) unquoted(s jsonscan.Str) string {
	const block = 64 << 10 // bytes
	b := p.Text(s.Begin, s.End)
	if s.Escaped {
		b = jsonscan.Unescape(bytes.Clone(b))
	}
	if p.names.Cap()-p.names.Len() < len(b) {
		p.names.Reset() // the strings keep their block
		p.names.Grow(max(block, len(b)))
	}
	begin := p.names.Len()
	p.names.Write(b)
	return p.names.String()[begin:]
}

// metadata parses a member of the metadata.
func (p *Parser) metadata(key string, begin int) error {
	start, kind, err := p.Skip()
	if err != nil {
		return err
	}
	value := p.Text(start, p.Pos())
	switch key {
	case "total_size":
		p.Index.TotalSize, p.Index.totalSizeAt = -1, span(begin, p.Pos())
		if n, ok := Whole(value); ok {
			p.Index.TotalSize = n
		} else if kind != jsonscan.Null {
			p.Add(finding.TotalSize, "", span(begin, p.Pos()), "total_size is %s instead of a number of bytes",
				wording.Quote(string(value)))
		}
	case "total_parameters":
		p.Index.TotalParameters = -1
		if n, ok := Whole(value); ok {
			p.Index.TotalParameters = n
		}
	default:
		if p.Index.Metadata == nil {
			p.Index.Metadata = make(map[string]string)
		}
		p.Index.Metadata[key] = string(value)
	}
	return nil
}

// Whole returns the value of a JSON number if it is an integer that fits. Some writers add up
// sizes in half bytes, and write 4096.0.
func Whole(number []byte) (int64, bool) {
	digits, fraction, _ := bytes.Cut(number, []byte("."))
	if len(digits) == 0 || len(bytes.Trim(fraction, "0")) > 0 || len(bytes.Trim(digits, "0123456789")) > 0 {
		return 0, false
	}
	n, ok := jsonscan.Uint(digits)
	return int64(n), ok && int64(n) >= 0
}

// entry parses a member of the weight_map.
func (p *Parser) entry(tensor string, begin int) error {
	if p.Next() != jsonscan.String {
		_, kind, err := p.Skip()
		p.wrong(tensor, begin, p.Pos(), "tensor %s has %v in the weight_map instead of the name of a shard",
			wording.Quote(tensor), kind)
		return err
	}
	str, err := p.Str()
	if err != nil {
		return err
	}
	e := Entry{Tensor: tensor, Shard: p.shard(str), Span: span(begin, p.Pos())}
	if len(p.shards) > p.maxShards {
		p.Overflow = finding.New(safetensors.RuleLimit, tensor, e.Span,
			"the index names more than %s, which is the limit",
			wording.Count(p.maxShards, "shard"))
		p.Overflow.Fix = "Use fewer and larger shards."
		return p.Overflow
	}
	if i, twice := p.place(tensor); twice {
		was := p.Index.Tensors[i]
		p.wrong(tensor, begin, p.Pos(),
			"tensor %s occurs twice in the weight_map: in shard %s at bytes %d-%d, in shard %s at bytes %d-%d",
			wording.Quote(tensor), wording.Quote(was.Shard), was.Span.Begin, was.Span.End, wording.Quote(e.Shard),
			e.Span.Begin, e.Span.End)
		p.Index.Tensors[i] = e // the last one wins, as in loaders
		return nil
	}
	p.Index.Tensors = append(p.Index.Tensors, e)
	return nil
}

// place records the name of the next entry, and returns the entry that has it already. The first
// name that is out of order starts a hash table of all names.
func (p *Parser) place(tensor string) (at uint32, twice bool) {
	x := p.Index
	n := len(x.Tensors)
	if x.ascending && (n == 0 || x.Tensors[n-1].Tensor < tensor) {
		return 0, false
	}
	if x.ascending {
		x.ascending, x.byName = false, make(map[string]uint32, 2*n)
		for i := range x.Tensors {
			x.byName[x.Tensors[i].Tensor] = uint32(i)
		}
	}
	if at, twice = x.byName[tensor]; !twice {
		x.byName[tensor] = uint32(n)
	}
	return at, twice
}

// shard returns the name of a shard, as one string for all entries of a shard, which makes
// comparing them cheap.
func (p *Parser) shard(s jsonscan.Str) string {
	if n := len(p.Index.Tensors); n > 0 && !s.Escaped {
		// Tensors of one shard usually follow one another.
		if last := p.Index.Tensors[n-1].Shard; string(p.Text(s.Begin, s.End)) == last {
			return last
		}
		if known, ok := p.shards[string(p.Text(s.Begin, s.End))]; ok {
			return known
		}
	}
	name := p.unquoted(s)
	if known, ok := p.shards[name]; ok {
		return known
	}
	p.shards[name] = name
	return name
}
