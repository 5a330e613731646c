// The tree of names, split at dots, with the sums of what is below each.

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

// maxDepth is how many levels a tree has at most. What names have beyond it is
// one last word: a name made of dots shall not make a tree as deep as it is
// long. The walk calls itself for each level, so this bounds that, too.
const maxDepth = 32

// A TreeOptions says how much of a tree is shown.
type TreeOptions struct {
	Depth int  // how many levels; 0 means all
	Fold  bool // whether equal branches side by side become one line
	Sort  string
}

// A branch is one line of a tree: a tensor, or the start of several names.
type branch struct {
	label  string // its words, with the lines that lead to it
	tensor *Row   // nil if there are several
	count  int
	params int64
	bytes  int64
	dtype  string // "mixed" if there are several
}

// tree returns the rows as lines of a tree.
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

// A treeWalk makes the lines of a tree. Rows are sorted by name, so what has a
// common start is a run of them, and no node is ever built.
type treeWalk struct {
	opts  TreeOptions
	depth int
	lines []branch
}

// A limb is a run of rows with a common start, up to the word that ends at end.
// A limb that stands for several equal ones has but the rows of the first.
type limb struct {
	rows     []Row
	at       int // where in names the last word begins
	end      int // and where it ends
	last     span
	repeated int // how many equal limbs this is
	numeric  bool
	sum      branch
}

// children adds the lines of limbs, each of which stands for copies of itself.
// What leads to them begins with prefix.
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

// limb adds the lines of one limb. A limb without branches is one line, however
// many words it has.
func (t *treeWalk) limb(l *limb, level int, prefix, below string, copies int) {
	copies *= l.repeated
	line := l.sum
	line.count *= copies
	line.params, line.bytes = encode.Times(line.params, copies), encode.Times(line.bytes, copies)
	label := l.word()
	var limbs []limb
	for len(l.rows) > 1 && level+1 < t.depth {
		level++
		if limbs = t.limbs(l.rows, l.end+1, level); len(limbs) > 1 {
			break
		}
		// What has one branch alone is no fork: its words are one line.
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

// cutLabel shortens a label, and keeps the lines that lead to it.
func cutLabel(label string, most int) string {
	name := strings.TrimLeft(label, "├└│─ ")
	lines := label[:len(label)-len(name)]
	return lines + typeset.Dotted(name, most-typeset.Width(lines))
}

// shownParams returns the number of elements, which is not known of a tensor
// whose shape is not. That of a branch is the sum of what is known below it.
func (b *branch) shownParams() encode.Known {
	if b.tensor != nil && paramsOf(b.tensor.TensorInfo) < 0 {
		return encode.Unknown
	}
	return encode.Known(b.params)
}

// shownBytes returns the size, which may be unknown likewise.
func (b *branch) shownBytes() encode.Known {
	if b.tensor != nil && bytesOf(b.tensor.TensorInfo) < 0 {
		return encode.Unknown
	}
	return encode.Known(b.bytes)
}

// word returns the word at the limb's end, or the range of them.
func (l *limb) word() string {
	if l.repeated > 1 {
		return l.last.String()
	}
	return l.rows[0].Name[l.at:l.end]
}

// limbs divides rows by the word that begins at offset at.
func (t *treeWalk) limbs(rows []Row, at, level int) []limb {
	var limbs []limb
	for len(rows) > 0 {
		end := wordEnd(rows[0].Name, at, level)
		n := 1
		// A tensor whose name ends here has no branches, even if other names
		// go on from it.
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
	case "params":
		slices.SortStableFunc(limbs, func(a, b limb) int { return cmp.Compare(b.params(), a.params()) })
	case "bytes":
		slices.SortStableFunc(limbs, func(a, b limb) int { return cmp.Compare(b.bytes(), a.bytes()) })
	}
	return limbs
}

// params returns the number of elements in all that the limb stands for.
func (l *limb) params() int64 { return encode.Times(l.sum.params, l.repeated) }

// bytes returns the size of all that the limb stands for.
func (l *limb) bytes() int64 { return encode.Times(l.sum.bytes, l.repeated) }

// wordEnd returns where the word of name that begins at offset at ends.
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
		b.params = encode.Plus(b.params, paramsOf(r.TensorInfo))
		b.bytes = encode.Plus(b.bytes, bytesOf(r.TensorInfo))
		if string(r.Dtype) != b.dtype {
			b.dtype = "mixed"
		}
	}
	return b
}

// foldLimbs makes one limb of those that follow one another in number, and are
// equal in all that is below them.
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

// equal says whether the two limbs differ in nothing but their last word.
func (l *limb) equal(m *limb) bool {
	return slices.EqualFunc(l.rows, m.rows, func(a, b Row) bool {
		return a.Dtype == b.Dtype && a.Name[l.end:] == b.Name[m.end:] && shapeKnown(a.TensorInfo) == shapeKnown(b.TensorInfo) && slices.Equal(a.Shape, b.Shape)
	})
}

// writeTree writes the tree as a table. Shares are those of the bytes of the whole
// tree, and not of the branch above: so the largest is found at any level.
func writeTree(w *bufio.Writer, s typeset.Style, lines []branch, whole int64) {
	t := &typeset.Table{N: len(lines), Columns: []typeset.Column{
		{Title: "NAME", Distinct: true, Least: s.NameWidth(), Cut: cutLabel, Cell: func(i int) string { return lines[i].label }},
		{Title: "TENSORS", Right: true, Yields: 5, Cell: func(i int) string { return typeset.Count(int64(lines[i].count)) }},
		params(2, func(i int) encode.Known { return lines[i].shownParams() }),
		{Title: "BYTES", Right: true, Yields: 6, Cell: func(i int) string { return lines[i].shownBytes().Text(typeset.Bytes) }},
		{Title: "SHARE", Right: true, Yields: 1, Cell: func(i int) string { return typeset.Percent(lines[i].bytes, whole) }},
		{Title: "DTYPE", Yields: 4, Color: typeset.Cyan, Cell: func(i int) string { return DtypeOf(safetensors.Dtype(lines[i].dtype)) }},
		{Title: "SHAPE", Least: 16, Yields: 3, Cut: typeset.Listed, Cell: func(i int) string {
			if lines[i].tensor == nil {
				return ""
			}
			return ShapeOf(lines[i].tensor.TensorInfo)
		}},
	}}
	t.Write(w, s)
}
