// Paths in an index: which names of shards are opened.

package checkpoint

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors/store"
)

// judgePaths judges the name of each shard once, at the first entry that has it.
func (p *indexParser) judgePaths() {
	bad := make(map[string]int) // how many tensors each refused name takes along
	for name := range p.shards {
		if pathFault(name, p.ends) != "" {
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
		p.omit(RuleIndexPath, over)
	}
	for _, e := range first {
		p.Add(RuleIndexPath, e.Tensor, e.Span, "shard %s, of %s of the index, is not opened: its name %s",
			quote(e.Shard), count(bad[e.Shard], "tensor"), pathFault(e.Shard, p.ends))
	}
}

// pathFault returns what makes a shard's name one that is not opened, or "". It
// is the same on every system, though not every name is dangerous on each.
//
// An index is a stranger's, and what is wrong with a file is told in words out of
// it. So no index may name what only its owner should read, such as ".env"; and
// none what is not called as all published shards are.
func pathFault(name string, ends []string) string {
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
	case !hasAnySuffix(name, ends):
		return fmt.Sprintf("does not end in %q", ends[0])
	}
	return ""
}

// isUnprinted says whether a character is one that ends a line, or is not seen and
// changes how others are: U+202E shows "txt.safetensors" as another name.
func isUnprinted(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// CheckShardName returns nil if a file of that name is opened when an index names it, and
// otherwise an error that says what is wrong with the name, such as "has a backslash".
func CheckShardName(name string) error {
	if fault := pathFault(name, []string{weightsSuffix}); fault != "" {
		return errors.New(fault)
	}
	return nil
}
