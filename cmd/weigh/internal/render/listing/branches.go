// Parts of the tree of names, level by level.

package listing

import (
	"sort"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A Branch is a node of the tree of names: a tensor, or a prefix of names.
type Branch struct {
	Word     string // the last word, or the range of folded branches, as in "[0-23]"
	Path     string // the names up to the end of that word; of folded branches, those of the first
	Rows     []Row  // of the branch; of folded branches, those of the first
	Repeated int    // number of folded branches

	Tensors         int // of all folded branches together, like Elements and Bytes
	Elements, Bytes int64
	Dtype           string // "mixed" if there are several
}

// Leaf reports whether the branch is a single tensor whose name ends with the word.
func (b *Branch) Leaf() bool { return len(b.Rows) == 1 && b.Rows[0].Name == b.Path }

// Below returns the rows whose names begin with the path and a dot; all rows for "". Rows have to be in the order of
// their names.
func Below(rows []Row, path string) []Row {
	if path == "" {
		return rows
	}
	prefix := path + "."
	begin := sort.Search(len(rows), func(i int) bool { return typeset.CompareNames(rows[i].Name, prefix) >= 0 })
	end := begin
	for end < len(rows) && strings.HasPrefix(rows[end].Name, prefix) {
		end++
	}
	return rows[begin:end]
}

// Branches returns the branches below a path, of the rows that [Below] returns for it.
func Branches(rows []Row, path string, opts TreeOptions) []Branch {
	if len(rows) == 0 {
		return nil
	}
	at, level := 0, 0
	if path != "" {
		at, level = len(path)+1, strings.Count(path, ".")+1
	}
	limbs := (&treeWalk{opts: opts, depth: maxDepth}).limbs(rows, at, level)
	list := make([]Branch, len(limbs))
	for i := range limbs {
		l := &limbs[i]
		list[i] = Branch{Word: l.word(), Path: l.rows[0].Name[:l.end], Rows: l.rows, Repeated: l.repeated,
			Tensors: l.sum.count * l.repeated, Elements: l.elements(), Bytes: l.bytes(), Dtype: l.sum.dtype}
	}
	return list
}

// Sum returns the sums over rows as a branch without a name.
func Sum(rows []Row) Branch {
	b := Branch{Rows: rows, Repeated: 1, Tensors: len(rows)}
	if len(rows) > 0 {
		s := sum(rows)
		b.Elements, b.Bytes, b.Dtype = s.elements, s.bytes, s.dtype
	}
	return b
}

// BytesOf returns the size of a row's data.
func (r Row) BytesOf() encode.Known { return bytesOf(r.TensorInfo) }

// ElementsOf returns the number of a row's elements.
func (r Row) ElementsOf() encode.Known { return elementsOf(r.TensorInfo) }
