// The tree of names, for the tree of tensors and the map of parameters.

package viewer

import (
	"cmp"
	"slices"
	"sort"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
)

// Bounds of a tree.
const (
	mostNodes  = 2000
	mostLevels = 6
	usualNodes = 200 // children of a node
)

// A node is a branch of the tree with its children.
type node struct {
	Word      string       `json:"word"`
	Path      *string      `json:"path,omitempty"` // absent if it is long
	Tensors   int          `json:"tensors"`
	Elements  int64        `json:"elements"`
	Bytes     int64        `json:"bytes"`
	Dtype     string       `json:"dtype"`
	Repeated  int          `json:"repeated"`
	ID        *int         `json:"id,omitempty"` // of a tensor
	Shape     *encode.Dims `json:"shape,omitempty"`
	Children  []*node      `json:"children,omitempty"`
	More      int          `json:"more"`       // children that are left out, and their sums
	MoreBytes int64        `json:"more_bytes"` //

	branch listing.Branch
}

// tree answers with the branches below a path.
func (v *Viewer) tree(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	f, err := o.filterOf(r)
	if err != nil {
		return nil, err
	}
	depth, err := r.Number("depth", 1, mostLevels, 1)
	if err != nil {
		return nil, err
	}
	limit, err := r.Number("limit", 1, mostNodes, usualNodes)
	if err != nil {
		return nil, err
	}
	named, rows := o.named(f)
	g := &grower{o: o, opts: listing.TreeOptions{Fold: r.FormValue("fold") == "1", Sort: f.Sort}, named: named,
		limit: int(limit), left: mostNodes}
	path := r.FormValue("path")
	top := listing.Sum(listing.Below(rows, path))
	top.Path, top.Word = path, path
	root := g.node(top)
	g.grow(root, int(depth))
	return reply.Object(encode.M("schema", "weigh.view.tree/1"), encode.M("path", path),
		encode.M("label", labelOf(path)),
		encode.M("tensors", root.Tensors), encode.M("elements", root.Elements), encode.M("bytes", root.Bytes),
		encode.M("dtype", root.Dtype), encode.M("children", root.Children), encode.M("more", root.More),
		encode.M("more_bytes", root.MoreBytes)), nil
}

// named returns the selected tensors in the order of their names.
func (o *opened) named(f *filter) (*selected, []listing.Row) {
	by := *f
	by.Sort, by.Reverse, by.describe = "name", false, f.describe+" by name"
	s := o.selection(&by)
	rows := make([]listing.Row, len(s.ids))
	for i, id := range s.ids {
		rows[i] = o.row(int(id))
	}
	return s, rows
}

// A grower builds a tree of bounded size.
type grower struct {
	o     *opened
	opts  listing.TreeOptions
	named *selected // all of the tree, by name
	limit int       // children of a node
	left  int       // nodes
}

// node returns a branch as a node without children.
func (g *grower) node(b listing.Branch) *node {
	n := &node{Word: labelOf(b.Word), Tensors: b.Tensors, Elements: b.Elements, Bytes: b.Bytes, Dtype: labelOf(b.Dtype),
		Repeated: b.Repeated, branch: b}
	if len(b.Path) <= mostName {
		n.Path = &b.Path
	}
	if b.Leaf() {
		row := b.Rows[0]
		id := g.id(row)
		n.ID, n.Shape = &id, (*encode.Dims)(&row.Shape)
	}
	return n
}

// grow adds children, level by level, so the bound cuts off the deepest ones.
func (g *grower) grow(root *node, depth int) {
	level := []*node{root}
	for range depth {
		var next []*node
		for _, n := range level {
			g.children(n)
			next = append(next, n.Children...)
		}
		level = next
	}
}

// children adds the children of a node. If there are too many, the smallest are only counted.
func (g *grower) children(n *node) {
	if n.ID != nil {
		return
	}
	b := &n.branch
	list := listing.Branches(listing.Below(b.Rows, b.Path), b.Path, g.opts)
	list, left := largest(list, min(g.limit, g.left))
	for _, b := range left {
		n.More, n.MoreBytes = n.More+1, encode.Add(n.MoreBytes, b.Bytes)
	}
	for _, child := range list {
		n.Children = append(n.Children, g.node(child))
	}
	g.left -= len(list)
}

// largest splits a list into the most largest branches and the others. Both keep their order.
func largest(list []listing.Branch, most int) (large, others []listing.Branch) {
	if len(list) <= most {
		return list, nil
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].Bytes, list[a].Bytes) })
	slices.Sort(order[:most])
	slices.Sort(order[most:])
	for i, at := range order {
		if i < most {
			large = append(large, list[at])
		} else {
			others = append(others, list[at])
		}
	}
	return large, others
}

// id returns the number of a tensor, which is one of those in the order of their names.
func (g *grower) id(row listing.Row) int {
	ids := g.named.ids
	i := sort.Search(len(ids), func(i int) bool {
		return typeset.CompareNames(g.o.row(int(ids[i])).Name, row.Name) >= 0
	})
	for i < len(ids)-1 && g.o.row(int(ids[i])) != row { // another file may have the name
		i++
	}
	return int(ids[i])
}
