// Applying a map to tensors.

package remap

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// A Result is what a map makes of tensors.
type Result struct {
	Made    []arrange.Made // in the order of the first tensor that each is made of
	Rest    []*safetensors.Tensor
	Dropped []*safetensors.Tensor
	Idle    []Rule // those that apply to no tensor
}

// Apply applies the map to tensors of different names. It reads none of them. Rest has the tensors that no rule has.
//
// It is an error if a rule has some of the tensors that it joins but not all, if a step does not fit the shape of a
// tensor, if a parameter of a step is not known, and if steps other than stacking apply to packed weights, whose
// elements do not have the places that their shapes say.
func (m *Map) Apply(tensors []*safetensors.Tensor, params Params) (*Result, error) {
	a := &application{Map: m, params: params, byName: make(map[string]*group), result: new(Result)}
	idle := make([]bool, len(m.rules))
	for i := range idle {
		idle[i] = true
	}
	f := &finder{Map: m}
	for _, t := range tensors {
		e, bound, ok := f.find(t.Name)
		switch {
		case !ok:
			a.result.Rest = append(a.result.Rest, t)
			continue
		case len(m.rules[e.rule].to) == 0:
			a.result.Dropped = append(a.result.Dropped, t)
		default:
			if err := a.add(t, e, bound); err != nil {
				return nil, err
			}
		}
		idle[e.rule] = false
	}
	a.packed = a.packing(tensors)
	for _, g := range a.groups {
		if err := a.make(g); err != nil {
			return nil, g.at(err)
		}
	}
	for i, is := range idle {
		if is {
			a.result.Idle = append(a.result.Idle, m.rules[i].Rule)
		}
	}
	return a.result, nil
}

// An application is a map while it is applied.
type application struct {
	*Map
	params Params
	groups []*group
	byName map[string]*group
	packed parts.Packing
	result *Result
}

// A group is the tensors to which a rule applies at once.
type group struct {
	*rule
	bound   binding
	members []member
}

// A member is a tensor of a group: the from-th of the names of the rule, and the number that is folded.
type member struct {
	from   int
	number int
	*safetensors.Tensor
}

// add adds a tensor to its group.
func (a *application) add(t *safetensors.Tensor, e entry, bound binding) error {
	r := &a.rules[e.rule]
	if len(r.from) == 1 && r.folded == 0 {
		a.groups = append(a.groups, &group{r, bound, []member{{0, 0, t}}})
		return nil
	}
	number := 0
	if r.folded != 0 {
		text, _ := bound.of(r.folded)
		var err error
		if number, err = strconv.Atoi(text); err != nil || strconv.Itoa(number) != text {
			return r.at(fmt.Errorf("tensor %s: %q is not a number that can be stacked", wording.Quote(t.Name), text))
		}
		bound = slices.DeleteFunc(bound, func(one boundPlace) bool { return one.place == r.folded })
	}
	slices.SortFunc(bound, func(x, y boundPlace) int { return cmp.Compare(x.place, y.place) })
	id := strconv.Itoa(e.rule)
	for _, one := range bound {
		id += "\x00" + one.text
	}
	g := a.byName[id]
	if g == nil {
		g = &group{rule: r, bound: bound}
		a.byName[id], a.groups = g, append(a.groups, g)
	}
	g.members = append(g.members, member{e.from, number, t})
	return nil
}

// packing returns which modules are packed, if a rule that applies moves elements.
func (a *application) packing(tensors []*safetensors.Tensor) parts.Packing {
	if !slices.ContainsFunc(a.groups, func(g *group) bool { return slices.ContainsFunc(g.steps, func(s step) bool { return s.moves() }) }) {
		return nil
	}
	return parts.PackingOf(func(yield func(*safetensors.TensorInfo) bool) {
		for _, t := range tensors {
			if !yield(&t.TensorInfo) {
				return
			}
		}
	})
}

// A table has the tensors of a group: a row for each number that is folded, and in it one tensor for each name.
type table [][]*safetensors.Tensor

// make makes the tensors of a group.
func (a *application) make(g *group) error {
	rows, err := g.table()
	if err != nil {
		return err
	}
	for i := range g.steps {
		if rows, err = a.step(g, &g.steps[i], rows); err != nil {
			return err
		}
	}
	from := make([]*safetensors.Tensor, len(g.members))
	for i := range from {
		from[i] = g.members[i].Tensor
	}
	for number, row := range rows {
		bound := g.bound
		if g.unfolded != 0 {
			bound = append(slices.Clip(bound), boundPlace{g.unfolded, strconv.Itoa(number)})
		}
		for i, t := range row {
			if name := g.to[i].expand(bound); name != t.Name {
				t = t.Rename(name)
			}
			a.result.Made = append(a.result.Made, arrange.Made{Tensor: t, From: from, How: g.Steps})
		}
	}
	return nil
}

// table returns the members as rows, or an error if some are missing.
func (g *group) table() (table, error) {
	slices.SortStableFunc(g.members, func(x, y member) int {
		return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.from, y.from))
	})
	rows := make(table, 0, len(g.members)/len(g.from))
	for i, m := range g.members {
		if number, from := i/len(g.from), i%len(g.from); m.number != number || m.from != from {
			return nil, g.missing(number, from)
		}
		if m.from == 0 {
			rows = append(rows, make([]*safetensors.Tensor, len(g.from)))
		}
		rows[len(rows)-1][m.from] = m.Tensor
	}
	if n := len(g.members); n%len(g.from) != 0 {
		return nil, g.missing(n/len(g.from), n%len(g.from))
	}
	return rows, nil
}

// missing returns the error that the group lacks a tensor.
func (g *group) missing(number, from int) error {
	bound := g.bound
	if g.folded != 0 {
		bound = append(slices.Clip(bound), boundPlace{g.folded, strconv.Itoa(number)})
	}
	return fmt.Errorf("tensor %s is missing, which is to be joined with %s", wording.Quote(g.from[from].expand(bound)),
		wording.Quote(g.members[0].Name))
}

// step applies a step.
func (a *application) step(g *group, s *step, rows table) (table, error) {
	if s.moves() {
		_, part := g.bound.of(suffixPlace)
		for _, m := range g.members {
			if _, packed := a.packed.Has(m.Name); packed || part {
				return nil, fmt.Errorf("tensor %s is part of a packed weight, to which %s cannot be applied: its elements are "+
					"not where the shape says; convert it to a plain dtype first", wording.Quote(m.Name), s)
			}
		}
	}
	switch s.kind.name {
	case stepStack:
		return stack(rows, g)
	case stepUnstack:
		return unstack(rows)
	}
	args := make([]int64, len(s.args))
	for i, arg := range s.args {
		var err error
		if args[i] = none; arg == "-" {
			continue
		}
		if args[i], err = a.value(arg, a.params); err != nil {
			return nil, fmt.Errorf("step %s of tensor %s: %w", s, wording.Quote(g.members[0].Name), err)
		}
	}
	for i, row := range rows {
		var err error
		if rows[i], err = s.apply(row, args, len(g.to)); err != nil {
			return nil, fmt.Errorf("step %s: %w", s, err)
		}
	}
	return rows, nil
}

// none is the argument "-".
const none = -1 << 63

// apply applies a step to the tensors of a row, of which there are to be n in the end.
func (s *step) apply(row []*safetensors.Tensor, args []int64, n int) ([]*safetensors.Tensor, error) {
	switch {
	case s.kind.join != nil:
		t, err := s.kind.join(row[0].Name, args, row)
		return []*safetensors.Tensor{t}, err
	case s.kind.cut != nil:
		if len(args) == 1 { // no proportions
			args = append(args, slices.Repeat([]int64{1}, n)...)
		}
		return s.kind.cut(row[0], args)
	}
	row = slices.Clone(row)
	for i, t := range row {
		own := args
		if s.kind.perTensor && len(args) > 1 && i < len(args) {
			own = args[i : i+1]
		}
		if s.only > 0 && s.only != i+1 || s.kind.perTensor && own[0] == none {
			continue
		}
		var err error
		if row[i], err = s.kind.each(t, own); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// stack stacks the rows of a table.
func stack(rows table, g *group) (table, error) {
	result := make([]*safetensors.Tensor, len(rows[0]))
	column := make([]*safetensors.Tensor, len(rows))
	for i := range result {
		for j := range rows {
			column[j] = rows[j][i]
		}
		var err error
		if result[i], err = arrange.Stack(g.members[0].Name, column...); err != nil {
			return nil, err
		}
	}
	return table{result}, nil
}

// unstack makes as many rows as the tensors of one have.
func unstack(rows table) (table, error) {
	var result table
	for i, t := range rows[0] {
		column, err := arrange.Unstack(t)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			result = make(table, len(column))
		}
		if len(column) != len(result) {
			return nil, fmt.Errorf("tensors %s and %s are to be unstacked, and have the shapes %s and %s",
				wording.Quote(rows[0][0].Name), wording.Quote(t.Name), rows[0][0].ShapeString(), t.ShapeString())
		}
		for j := range column {
			result[j] = append(result[j], column[j])
		}
	}
	return result, nil
}

// String returns the rule as a line of a map.
func (r Rule) String() string {
	to := strings.Join(r.To, " + ")
	if to == "" {
		to = "-"
	}
	text := strings.Join(r.From, " + ") + " => " + to
	if r.Steps != "" {
		text += " : " + r.Steps
	}
	return text
}

// Has reports whether a rule has a name.
func (m *Map) Has(name string) bool {
	_, _, ok := (&finder{Map: m}).find(name)
	return ok
}

// All returns the tensors that were made and those that no rule has.
func (r *Result) All() []arrange.Made {
	all := slices.Clone(r.Made)
	for _, t := range r.Rest {
		all = append(all, arrange.Made{Tensor: t, From: []*safetensors.Tensor{t}})
	}
	return all
}
