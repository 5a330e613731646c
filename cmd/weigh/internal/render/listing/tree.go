// The tree of names.

package listing

import (
	"bufio"
	"cmp"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// maxDepth limits the depth of a tree, and of the recursion that walks it. Names may consist of
// dots; what exceeds the depth is one word.
const maxDepth = 32

// A TreeOptions selects how a tree is shown.
type TreeOptions struct {
	Depth int  // levels; 0 means all
	Fold  bool // fold equal adjacent branches
	Sort  string
}

// A branch is a line of a tree: a tensor, or a common prefix of names.
type branch struct {
	label    string // its words, with the lines that lead to it
	tensor   *Row   // nil for a prefix
	count    int
	elements int64
	bytes    int64
	dtype    string // "mixed" if there are several
}

// tree returns the lines of a tree.
func tree(rows []Row, opts TreeOptions) []branch {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return typeset.CompareNames(a.Name, b.Name) })
	t := treeWalk{opts: opts, depth: maxDepth}
	if opts.Depth > 0 {
		t.depth = min(opts.Depth, maxDepth)
	}
	t.children(t.limbs(rows, 0, 0), 0, "", 1)
	return t.lines
}

// A treeWalk builds the lines of a tree. Rows are sorted by name, and a common prefix is a run of
// rows, so nodes are not built.
type treeWalk struct {
	opts  TreeOptions
	depth int
	lines []branch
}

// A limb is a run of rows with a common prefix that ends at end. A folded limb contains the rows
// of its first member.
type limb struct {
	rows     []Row
	at       int // start of the last word in names
	end      int // end of the last word
	last     span
	repeated int // number of folded limbs
	numeric  bool
	sum      branch
}

// children adds the lines of limbs, under a prefix. Their sums are multiplied by copies.
func (t *treeWalk) children(limbs []limb, level int, prefix string, copies int) {
	for i := range limbs {
		l := &limbs[i]
		tee, bar := "├─ ", "│  "
		if i == len(limbs)-1 {
			tee, bar = "└─ ", "   "
		}
		if level == 0 {
			tee, bar = "", ""
		}
		t.limb(l, level, prefix+tee, prefix+bar, copies)
	}
}

// limb adds the lines of a limb. Words with a single child share a line.
func (t *treeWalk) limb(l *limb, level int, prefix, below string, copies int) {
	copies *= l.repeated
	line := l.sum
	line.count *= copies
	line.elements, line.bytes = encode.Times(line.elements, copies), encode.Times(line.bytes, copies)
	label := l.word()
	var limbs []limb
	for len(l.rows) > 1 && level+1 < t.depth {
		level++
		if limbs = t.limbs(l.rows, l.end+1, level); len(limbs) > 1 {
			break
		}
		// A word with a single child shares its line.
		l, limbs = &limbs[0], nil
		label += "." + l.word()
		copies *= l.repeated
	}
	if len(l.rows) == 1 {
		label += l.rows[0].Name[l.end:]
		line.tensor = &l.rows[0]
	}
	line.label = prefix + typeset.Name(label)
	t.lines = append(t.lines, line)
	t.children(limbs, level, below, copies)
}

// cutLabel shortens the name in a label, but not its lines.
func cutLabel(label string, most int) string {
	name := strings.TrimLeft(label, "├└│─ ")
	lines := label[:len(label)-len(name)]
	return lines + typeset.Dotted(name, most-typeset.Width(lines))
}

// shownElements returns the number of elements. It is unknown for a tensor with an unknown shape;
// for a branch it is the sum of known numbers.
func (b *branch) shownElements() encode.Known {
	if b.tensor != nil && elementsOf(b.tensor.TensorInfo) < 0 {
		return encode.Unknown
	}
	return encode.Known(b.elements)
}

// shownBytes returns the size, likewise.
func (b *branch) shownBytes() encode.Known {
	if b.tensor != nil && bytesOf(b.tensor.TensorInfo) < 0 {
		return encode.Unknown
	}
	return encode.Known(b.bytes)
}

// word returns the last word, or the range of a folded limb.
func (l *limb) word() string {
	if l.repeated > 1 {
		return l.last.String()
	}
	return l.rows[0].Name[l.at:l.end]
}

// limbs splits rows by the word at offset at.
func (t *treeWalk) limbs(rows []Row, at, level int) []limb {
	var limbs []limb
	for len(rows) > 0 {
		end := wordEnd(rows[0].Name, at, level)
		n := 1
		// A tensor has no branches, even if other names continue its name.
		if end < len(rows[0].Name) {
			word := rows[0].Name[at : end+1]
			for n < len(rows) && strings.HasPrefix(rows[n].Name[at:], word) {
				n++
			}
		}
		l := limb{rows: rows[:n:n], at: at, end: end, repeated: 1, sum: sum(rows[:n])}
		if v, ok := number(rows[0].Name[at:end]); ok {
			l.last, l.numeric = span{v, v}, true
		}
		limbs = append(limbs, l)
		rows = rows[n:]
	}
	if t.opts.Fold {
		limbs = foldLimbs(limbs)
	}
	switch t.opts.Sort {
	case "elements":
		slices.SortStableFunc(limbs, func(a, b limb) int { return cmp.Compare(b.elements(), a.elements()) })
	case "bytes":
		slices.SortStableFunc(limbs, func(a, b limb) int { return cmp.Compare(b.bytes(), a.bytes()) })
	}
	return limbs
}

// elements returns the number of elements of all folded limbs.
func (l *limb) elements() int64 { return encode.Times(l.sum.elements, l.repeated) }

// bytes returns the size of all folded limbs.
func (l *limb) bytes() int64 { return encode.Times(l.sum.bytes, l.repeated) }

// wordEnd returns the end of the word at offset at.
func wordEnd(name string, at, level int) int {
	if at >= len(name) || level+1 >= maxDepth {
		return len(name)
	}
	if dot := strings.IndexByte(name[at:], '.'); dot >= 0 {
		return at + dot
	}
	return len(name)
}

// sum adds up rows.
func sum(rows []Row) branch {
	b := branch{count: len(rows), dtype: string(rows[0].Dtype)}
	for _, r := range rows {
		b.elements = encode.Plus(b.elements, elementsOf(r.TensorInfo))
		b.bytes = encode.Plus(b.bytes, bytesOf(r.TensorInfo))
		if string(r.Dtype) != b.dtype {
			b.dtype = "mixed"
		}
	}
	return b
}

// foldLimbs folds limbs with consecutive numbers and equal content.
func foldLimbs(limbs []limb) []limb {
	folded := limbs[:1]
	for _, l := range limbs[1:] {
		last := &folded[len(folded)-1]
		if last.numeric && l.numeric && last.last.hi+1 == l.last.lo && last.equal(&l) {
			last.last.hi = l.last.hi
			last.repeated++
			continue
		}
		folded = append(folded, l)
	}
	return folded
}

// equal reports whether two limbs differ only in their last word.
func (l *limb) equal(m *limb) bool {
	return slices.EqualFunc(l.rows, m.rows, func(a, b Row) bool {
		return a.Dtype == b.Dtype && a.Name[l.end:] == b.Name[m.end:] &&
			shapeKnown(a.TensorInfo) == shapeKnown(b.TensorInfo) && slices.Equal(a.Shape, b.Shape)
	})
}

// writeTree writes the tree as a table. Shares refer to the whole tree.
func writeTree(w *bufio.Writer, s typeset.Style, lines []branch, whole int64) {
	t := &typeset.Table{N: len(lines), Columns: []typeset.Column{
		{Title: "NAME", Distinct: true, Least: s.NameWidth(), Cut: cutLabel,
			Cell: func(i int) string { return lines[i].label }},
		{Title: "TENSORS", Right: true, Yields: 5, Cell: func(i int) string { return typeset.Count(int64(lines[i].count)) }},
		elements(2, func(i int) encode.Known { return lines[i].shownElements() }),
		{Title: "BYTES", Right: true, Yields: 6,
			Cell: func(i int) string { return lines[i].shownBytes().Text(typeset.Bytes) }},
		{Title: "SHARE", Right: true, Yields: 1, Cell: func(i int) string { return typeset.Percent(lines[i].bytes, whole) }},
		{Title: "DTYPE", Yields: 4, Color: typeset.Cyan,
			Cell: func(i int) string { return DtypeOf(safetensors.Dtype(lines[i].dtype)) }},
		{Title: "SHAPE", Least: 16, Yields: 3, Cut: typeset.Listed, Cell: func(i int) string {
			if lines[i].tensor == nil {
				return ""
			}
			return ShapeOf(lines[i].tensor.TensorInfo)
		}},
	}}
	t.Write(w, s)
}
