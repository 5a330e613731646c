// The index: which shard holds each tensor, and how that is read.

package checkpoint

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// An Index says which shard holds each tensor. No specification has its form:
// it is what the library transformers writes as "model.safetensors.index.json".
type Index struct {
	// TotalSize is the sum of the tensors' sizes, in bytes; -1 if not told.
	TotalSize int64

	// TotalParameters is what the writer says of the number of parameters;
	// -1 if not told. Nothing here depends on it.
	TotalParameters int64

	// Metadata has the other members of "metadata", each value as JSON.
	Metadata map[string]string

	// Tensors is the "weight_map", in the order in which it was written.
	// No two entries have one name.
	Tensors []IndexEntry

	ascending   bool              // Tensors were parsed, and are in the order of their names
	byName      map[string]uint32 // indices of Tensors if they were parsed in another order, or nil
	totalSizeAt safetensors.Span  // where TotalSize stands
	cutOff      bool              // it could not be parsed to its end
}

// An IndexEntry is one member of the "weight_map".
type IndexEntry struct {
	Tensor string // the tensor's name
	Shard  string // the shard's path, from the folder of the index

	// Span is where the index says so, from the quote before the one name to
	// the quote after the other. It is zero if the entry is not of a file.
	Span safetensors.Span
}

// Lookup returns the entry of the named tensor, or nil. It takes about constant time
// in an index that was parsed, and otherwise goes through all of it.
func (x *Index) Lookup(tensor string) *IndexEntry {
	if i, ok := x.find(tensor); ok {
		return &x.Tensors[i]
	}
	return nil
}

// find returns which of the entries is that of the named tensor. Libraries write an
// index in the order of names, in which a hash table would be the largest part of it.
func (x *Index) find(tensor string) (at uint32, ok bool) {
	switch {
	case x.byName != nil:
		at, ok = x.byName[tensor]
		return at, ok
	case x.ascending:
		i, ok := slices.BinarySearchFunc(x.Tensors, tensor, func(e IndexEntry, name string) int { return cmp.Compare(e.Tensor, name) })
		return uint32(i), ok
	}
	i := slices.IndexFunc(x.Tensors, func(e IndexEntry) bool { return e.Tensor == tensor })
	return uint32(max(i, 0)), i >= 0
}

// ParseIndex parses the text of an index. It goes on where it can after a fault,
// so the Index has as much as could be made out, and is never nil. The report
// has what breaks the rules index-json, index-path and total-size, as far as
// that can be told from the index alone; it has no Header.
//
// Entries whose shard's name is refused stand in the Index.
func ParseIndex(text []byte) (*Index, *safetensors.Report) {
	p := parseIndex(text, math.MaxInt, []string{weightsSuffix})
	return p.index, p.Report()
}

// parseIndex parses the text of an index that may name at most maxShards shards, whose
// names end in one of ends.
func parseIndex(text []byte, maxShards int, ends []string) *indexParser {
	// An entry has four quotes, and eleven bytes if there are millions. Room for all
	// is not touched before they are there, and to grow would take half as much more.
	room := min(bytes.Count(text, []byte{'"'})/4, len(text)/11)
	p := indexParser{
		Scanner: jsonscan.New(text), text: text,
		index: &Index{
			TotalSize: -1, TotalParameters: -1,
			Tensors: make([]IndexEntry, 0, room), ascending: true,
		},
		shards: make(map[string]string), maxShards: maxShards, ends: ends,
	}
	p.parse()
	p.judgePaths()
	return &p
}

// An indexParser reads one index.
type indexParser struct {
	jsonscan.Scanner
	Findings
	text   []byte
	index  *Index
	shards map[string]string // each name of a shard once, for all entries to share
	names  strings.Builder   // of tensors: what is in it already is never moved
	sawMap bool              // there was a weight_map

	ends      []string // that names of shards may have
	maxShards int
	overflow  *safetensors.Violation // of maxShards, at which parsing ends; or nil
}

// wrong records that the index is not what it should be.
func (p *indexParser) wrong(tensor string, begin, end int, format string, args ...any) {
	p.Add(RuleIndexJSON, tensor, span(begin, end), format, args...)
}

func span(begin, end int) safetensors.Span {
	return safetensors.Span{Begin: int64(begin), End: int64(end)}
}

func (p *indexParser) parse() {
	err := p.object()
	if err == nil {
		err = p.End()
	}
	if at := jsonscan.InvalidUTF8(p.text); at < len(p.text) {
		p.wrong("", at, at+1, "byte %#02x at byte %d of the index is not UTF-8", p.text[at], at)
	}
	p.index.cutOff = err != nil
	found := filetype.DetectHead(p.text[:min(len(p.text), filetype.HeadSize)])
	switch {
	case err != nil && len(p.index.Tensors) == 0 && found.Kind.StandIn():
		p.wrong("", 0, min(len(p.text), 100), "the index is %s", found)
	case err != nil:
		p.wrong("", p.Pos(), min(p.Pos()+1, len(p.text)), "index: %v", err)
	case !p.sawMap:
		p.wrong("", 0, len(p.text), "the index has no weight_map")
	}
}

// object reads the index's object.
func (p *indexParser) object() error {
	return p.members(func(key string, begin int) error {
		switch {
		case key == "metadata":
			return p.inObject(key, begin, p.metadata)
		case key == "weight_map" && p.sawMap:
			p.wrong("", begin, p.Pos(), "weight_map stands twice")
			return p.inObject(key, begin, p.entry)
		case key == "weight_map":
			p.sawMap = true
			return p.inObject(key, begin, p.entry)
		}
		_, _, err := p.Skip()
		return err
	})
}

// members reads an object. It calls member for each, with where its name begins,
// and member reads the value.
func (p *indexParser) members(member func(key string, begin int) error) error {
	if err := p.Open(jsonscan.Object); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := p.More(jsonscan.Object, first)
		if !more || err != nil {
			return err
		}
		begin := p.Pos()
		key, err := p.Key()
		if err != nil {
			return err
		}
		if err := member(p.unquoted(key), begin); err != nil {
			return err
		}
	}
}

// inObject reads the value of the named member, an object. One of another kind
// is reported; null is taken for an object without members.
func (p *indexParser) inObject(name string, begin int, member func(string, int) error) error {
	if p.Next() == jsonscan.Object {
		return p.members(member)
	}
	_, kind, err := p.Skip()
	if err == nil && (kind != jsonscan.Null || name == "weight_map") {
		p.wrong("", begin, p.Pos(), "%s is %v, where an object is due", name, kind)
	}
	return err
}

// unquoted returns a copy of a string of the index, unescaped. Many share a block, for
// an allocation each would be what takes longest.
func (p *indexParser) unquoted(s jsonscan.Str) string {
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

// metadata reads a member of the metadata.
func (p *indexParser) metadata(key string, begin int) error {
	start, kind, err := p.Skip()
	if err != nil {
		return err
	}
	value := p.Text(start, p.Pos())
	switch key {
	case "total_size":
		p.index.TotalSize, p.index.totalSizeAt = -1, span(begin, p.Pos())
		if n, ok := whole(value); ok {
			p.index.TotalSize = n
		} else if kind != jsonscan.Null {
			p.Add(RuleTotalSize, "", span(begin, p.Pos()), "total_size is %s, where a number of bytes is due", quote(string(value)))
		}
	case "total_parameters":
		p.index.TotalParameters = -1
		if n, ok := whole(value); ok {
			p.index.TotalParameters = n
		}
	default:
		if p.index.Metadata == nil {
			p.index.Metadata = make(map[string]string)
		}
		p.index.Metadata[key] = string(value)
	}
	return nil
}

// whole returns the value of a JSON number, if it is a whole one that fits.
// Some writers add up sizes of half a byte, and so write 4096.0.
func whole(number []byte) (int64, bool) {
	digits, fraction, _ := bytes.Cut(number, []byte("."))
	if len(digits) == 0 || len(bytes.Trim(fraction, "0")) > 0 || len(bytes.Trim(digits, "0123456789")) > 0 {
		return 0, false
	}
	n, ok := jsonscan.Uint(digits)
	return int64(n), ok && int64(n) >= 0
}

// entry reads a member of the weight_map.
func (p *indexParser) entry(tensor string, begin int) error {
	if p.Next() != jsonscan.String {
		_, kind, err := p.Skip()
		p.wrong(tensor, begin, p.Pos(), "tensor %s has %v in the weight_map, where the name of a shard is due", quote(tensor), kind)
		return err
	}
	str, err := p.Str()
	if err != nil {
		return err
	}
	e := IndexEntry{Tensor: tensor, Shard: p.shard(str), Span: span(begin, p.Pos())}
	if len(p.shards) > p.maxShards {
		p.overflow = violation(nil, safetensors.RuleLimit, tensor, e.Span,
			fmt.Sprintf("the index names more than %s, which is the limit", count(p.maxShards, "shard")))
		return p.overflow
	}
	if i, twice := p.place(tensor); twice {
		was := p.index.Tensors[i]
		p.wrong(tensor, begin, p.Pos(), "tensor %s stands twice in the weight_map: in shard %s at bytes %d-%d, in shard %s at bytes %d-%d",
			quote(tensor), quote(was.Shard), was.Span.Begin, was.Span.End, quote(e.Shard), e.Span.Begin, e.Span.End)
		p.index.Tensors[i] = e // the last one wins, as for those who use a hash table
		return nil
	}
	p.index.Tensors = append(p.index.Tensors, e)
	return nil
}

// place takes note of a tensor that is to be the next entry, unless there is one of
// its name. With the first that is out of order it begins a hash table of all.
func (p *indexParser) place(tensor string) (at uint32, twice bool) {
	x := p.index
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

// shard returns the name of a shard, as one string for all that are equal. There
// are a thousand tensors to a shard, and comparing a string with itself is free.
func (p *indexParser) shard(s jsonscan.Str) string {
	if n := len(p.index.Tensors); n > 0 && !s.Escaped {
		// Tensors of one shard stand together as a rule.
		if last := p.index.Tensors[n-1].Shard; string(p.Text(s.Begin, s.End)) == last {
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
