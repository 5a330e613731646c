// The index: which shard holds each tensor, and how that is read.

package checkpoint

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/store"
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

	byName      map[string]uint32 // indices of Tensors; nil if the Index was not parsed
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

// Lookup returns the entry of the named tensor, or nil. It takes constant time
// in an index that was parsed, and otherwise goes through all of it.
func (x *Index) Lookup(tensor string) *IndexEntry {
	if x.byName != nil {
		if i, ok := x.byName[tensor]; ok {
			return &x.Tensors[i]
		}
		return nil
	}
	for i := range x.Tensors {
		if x.Tensors[i].Tensor == tensor {
			return &x.Tensors[i]
		}
	}
	return nil
}

// ParseIndex parses the text of an index. It goes on where it can after a fault,
// so the Index has as much as could be made out, and is never nil. The report
// has what breaks the rules index-json, index-path and total-size, as far as
// that can be told from the index alone; it has no Header.
//
// Entries whose shard's name is refused stand in the Index.
func ParseIndex(text []byte) (*Index, *safetensors.Report) {
	p := parseIndex(text, math.MaxInt)
	return p.index, p.Report()
}

// parseIndex parses the text of an index that names so many shards at most.
func parseIndex(text []byte, maxShards int) *indexParser {
	// An entry has four quotes, and eleven bytes if there are millions. Room for all
	// is not touched before they are there, and to grow would take half as much more.
	room := min(bytes.Count(text, []byte{'"'})/4, len(text)/11)
	p := indexParser{
		Scanner: jsonscan.New(text), text: text,
		index: &Index{
			TotalSize: -1, TotalParameters: -1,
			Tensors: make([]IndexEntry, 0, room), byName: make(map[string]uint32),
		},
		shards: make(map[string]string), maxShards: maxShards,
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
	sawMap bool              // there was a weight_map

	maxShards int
	overflow  *safetensors.Violation // of maxShards, at which parsing ends; or nil
}

// wrong records that the index is not what it should be.
func (p *indexParser) wrong(tensor string, begin, end int, format string, args ...any) {
	p.Add(safetensors.RuleIndexJSON, tensor, span(begin, end), format, args...)
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
	switch {
	case err != nil && len(p.index.Tensors) == 0 && foreign(p.text) != "":
		p.wrong("", 0, min(len(p.text), 100), "the index is %s", foreign(p.text))
	case err != nil:
		p.wrong("", p.Pos(), min(p.Pos()+1, len(p.text)), "index: %v", err)
	case !p.sawMap:
		p.wrong("", 0, len(p.text), "the index has no weight_map")
	}
}

// foreign names what is found in the place of an index, or returns "".
func foreign(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")):
		return "a Git LFS pointer: the index itself was not fetched"
	case bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")):
		return "a page of HTML or XML, as of a server's error or a login"
	}
	return ""
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

// unquoted returns a copy of a string of the index, unescaped.
func (p *indexParser) unquoted(s jsonscan.Str) string {
	b := p.Text(s.Begin, s.End)
	if s.Escaped {
		b = jsonscan.Unescape(bytes.Clone(b))
	}
	return string(b)
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
			p.Add(safetensors.RuleTotalSize, "", span(begin, p.Pos()), "total_size is %s, where a number of bytes is due", quote(string(value)))
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
		p.overflow = &safetensors.Violation{
			Rule: safetensors.RuleLimit, Tensor: tensor, Span: e.Span,
			Detail: fmt.Sprintf("the index names more than %s, which is the limit", count(p.maxShards, "shard")),
		}
		return p.overflow
	}
	x := p.index
	if i, twice := x.byName[tensor]; twice {
		was := x.Tensors[i]
		p.wrong(tensor, begin, p.Pos(), "tensor %s stands twice in the weight_map: in shard %s at bytes %d-%d, in shard %s at bytes %d-%d",
			quote(tensor), quote(was.Shard), was.Span.Begin, was.Span.End, quote(e.Shard), e.Span.Begin, e.Span.End)
		x.Tensors[i] = e // the last one wins, as for those who use a hash table
		return nil
	}
	x.byName[tensor] = uint32(len(x.Tensors))
	x.Tensors = append(x.Tensors, e)
	return nil
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

// judgePaths judges the name of each shard once, at the first entry that has it.
func (p *indexParser) judgePaths() {
	bad := make(map[string]int) // how many tensors each refused name takes along
	for name := range p.shards {
		if pathFault(name) != "" {
			bad[name] = 0
		}
	}
	if len(bad) == 0 {
		return
	}
	var first []*IndexEntry
	for i := range p.index.Tensors {
		e := &p.index.Tensors[i]
		n, ok := bad[e.Shard]
		if !ok {
			continue
		}
		if bad[e.Shard]++; n == 0 {
			first = append(first, e)
		}
	}
	if over := len(first) - maxOfRule; over > 0 {
		first = first[:maxOfRule] // before words are made of them
		p.omit(safetensors.RuleIndexPath, over)
	}
	for _, e := range first {
		p.Add(safetensors.RuleIndexPath, e.Tensor, e.Span, "shard %s, of %s of the index, is not opened: its name %s",
			quote(e.Shard), count(bad[e.Shard], "tensor"), pathFault(e.Shard))
	}
}

// pathFault returns what makes a shard's name one that is not opened, or "". It
// is the same on every system, though not every name is dangerous on each.
//
// An index is a stranger's, and what is wrong with a file is told in words out of
// it. So no index may name what only its owner should read, such as ".env"; and
// none what is not called as all published shards are.
func pathFault(name string) string {
	control := strings.IndexFunc(name, isUnprinted)
	switch {
	case strings.Contains(name, "://"):
		return "is a URL"
	case strings.HasPrefix(name, "/"), len(name) > 1 && name[1] == ':':
		return "is an absolute path"
	case strings.Contains(name, `\`):
		return "has a backslash"
	case strings.Contains("/"+name+"/", "/../"):
		return `leads out of the folder by ".."`
	case control >= 0:
		r, _ := utf8.DecodeRuneInString(name[control:])
		return fmt.Sprintf("has the unprintable character %q", r)
	case store.CheckName(name) != nil:
		return `is no plain path: it is not UTF-8, or an element of it is empty or "."`
	case hidden(name):
		return `has an element that begins with "."`
	case !strings.HasSuffix(name, weightsSuffix):
		return fmt.Sprintf("does not end in %q", weightsSuffix)
	}
	return ""
}

// isUnprinted says whether a character is one that ends a line, or is not seen and
// changes how others are: U+202E shows "txt.safetensors" as another name.
func isUnprinted(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
