// Maps: rules, checked, and how to find the rule of a name.

package remap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// A Rule says how the tensors of some names become others.
type Rule struct {
	From, To []string // patterns; no To drops the tensors
	Steps    string   // what makes the tensors of To; "" if they are those of From
	Where    string   // for errors, such as "names.map:7"
}

// A Map is a list of rules. It does not change, and several goroutines may use it at once.
type Map struct {
	rules  []rule
	params map[string]int64

	// Companions makes a rule that renames or stacks the weight of a module do the same with the other parts of the
	// weight if it is packed, such as its scales, for which there is no rule.
	Companions bool

	index
}

// An entry is a pattern of a name before the map is applied.
type entry struct{ rule, from int }

// A rule is a Rule, parsed.
type rule struct {
	Rule
	from, to []pattern
	steps    []step
	folded   byte // the placeholder that From has and To lacks; 0 if there is none
	unfolded byte // the reverse
}

// New returns a map of rules. If several rules have a name, the first applies. Params define parameters of steps.
func New(rules []Rule, params map[string]int64) (*Map, error) {
	m := &Map{params: params, index: newIndex(len(rules))}
	for i := range rules {
		r, err := newRule(rules[i])
		if err != nil {
			if rules[i].Where != "" {
				err = fmt.Errorf("%s: %w", rules[i].Where, err)
			}
			return nil, err
		}
		m.rules = append(m.rules, r)
		for j := range r.from {
			m.put(&r.from[j], entry{i, j}, m.rules)
		}
	}
	m.finish()
	return m, nil
}

// newRule checks a rule.
func newRule(r Rule) (rule, error) {
	one := rule{Rule: r}
	for _, text := range r.From {
		one.from = append(one.from, parsePattern(text))
	}
	for _, text := range r.To {
		one.to = append(one.to, parsePattern(text))
	}
	for _, p := range slices.Concat(one.from, one.to) {
		if err := p.check(); err != nil {
			return one, err
		}
	}
	if len(one.from) == 0 {
		return one, fmt.Errorf("a rule needs names that it applies to")
	}
	var err error
	if one.steps, err = parseSteps(r.Steps); err != nil || len(one.to) == 0 {
		return one, err
	}
	if one.folded, err = unknownTo(one.from, one.to); err != nil {
		return one, err
	}
	if one.unfolded, err = unknownTo(one.to, one.from); err != nil {
		return one, err
	}
	return one, one.fits()
}

// check returns an error if the pattern cannot be one.
func (p *pattern) check() error {
	if p.text == "" {
		return fmt.Errorf("a name is empty")
	}
	for i, one := range p.pieces {
		if one.place == anyText && (len(p.pieces) > i+2 || len(p.pieces) == i+2 && p.pieces[i+1].place != 0) {
			return fmt.Errorf("%s has a placeholder after {*}, which can be followed by text only", wording.Quote(p.text))
		}
		if i == 0 || one.place == anyText || p.pieces[i-1].place == anyText {
			continue
		}
		before, after := p.pieces[i-1], one
		switch {
		case before.place != 0 && after.place != 0:
			return fmt.Errorf("%s has two placeholders with nothing between them", wording.Quote(p.text))
		case before.place == 0 && isDigit(before.text[len(before.text)-1]), after.place == 0 && isDigit(after.text[0]):
			return fmt.Errorf("%s has a digit next to a placeholder, which is a number", wording.Quote(p.text))
		}
	}
	return nil
}

// unknownTo returns the placeholder that all patterns of one side have, and those of the other lack.
func unknownTo(side, other []pattern) (place byte, err error) {
	for i := range side {
		for _, p := range side[i].places() {
			missing := slices.ContainsFunc(other, func(o pattern) bool { return !o.has(p) })
			switch everywhere := !slices.ContainsFunc(side, func(s pattern) bool { return !s.has(p) }); {
			case !everywhere:
				return 0, fmt.Errorf("%s has the placeholder {%c}, which another name on its side lacks", wording.Quote(side[i].text), p)
			case missing && (p == anyText || place != 0 && place != p):
				return 0, fmt.Errorf("%s has the placeholder {%c}, which the other side lacks", wording.Quote(side[i].text), p)
			case missing:
				place = p
			}
		}
	}
	return place, nil
}

// fits returns an error if the steps do not make as many tensors as the rule names.
func (r *rule) fits() error {
	n, folded, unfolded := len(r.from), r.folded != 0, r.unfolded != 0
	for i := range r.steps {
		switch s := &r.steps[i]; {
		case s.only > n:
			return fmt.Errorf("step %q applies to one of %d tensors", s, n)
		case s.kind.join != nil:
			n = 1
		case s.kind.cut != nil && n > 1:
			return fmt.Errorf("step %q splits one tensor, and there are %d", s, n)
		case s.kind.cut != nil:
			n = s.parts(len(r.to))
		case s.kind.name == stepStack && !folded:
			return fmt.Errorf("step %q needs a placeholder that only the names before it have", s)
		case s.kind.name == stepStack:
			folded = false
		case s.kind.name == stepUnstack && !unfolded:
			return fmt.Errorf("step %q needs a placeholder that only the names after it have", s)
		case s.kind.name == stepUnstack:
			unfolded = false
		}
	}
	switch {
	case folded:
		return fmt.Errorf("only one side has the placeholder {%c}, which takes the step %q", r.folded, stepStack)
	case unfolded:
		return fmt.Errorf("only one side has the placeholder {%c}, which takes the step %q", r.unfolded, stepUnstack)
	case n != len(r.to):
		return fmt.Errorf("%d tensors cannot become %d with the steps %q: use fuse, groups, split or ungroups", n, len(r.to),
			r.Steps)
	}
	return nil
}

// Reverse returns the map for the other direction: names, rules and steps are exchanged. Rules that drop tensors have
// no inverse, and are left out. It is an error if a step has no inverse.
func (m *Map) Reverse() (*Map, error) {
	var rules []Rule
	for i := range m.rules {
		r := &m.rules[i]
		if len(r.to) == 0 {
			continue
		}
		steps := make([]string, len(r.steps))
		for j := range r.steps {
			back, err := r.steps[j].inverse()
			if err != nil {
				return nil, r.at(err)
			}
			steps[len(steps)-1-j] = back.String()
		}
		rules = append(rules, Rule{From: r.To, To: r.From, Steps: strings.Join(steps, " "), Where: r.Where})
	}
	back, err := New(rules, m.params)
	if err != nil {
		return nil, err
	}
	back.Companions = m.Companions
	return back, nil
}

// at adds the place of the rule to an error.
func (r *rule) at(err error) error {
	if r.Where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.Where, err)
}

// companion returns the rule of the weight of which a tensor is a part.
func (f *finder) companion(name string) (e entry, bound binding, found bool) {
	module, role := parts.Split(name)
	suffix, ok := strings.CutPrefix(name, module)
	if role == parts.Weight || !ok || module == "" {
		return e, nil, false
	}
	if e, bound, found = f.find(module + ".weight"); !found {
		return e, nil, false
	}
	r := &f.rules[e.rule]
	for i := range r.to {
		found = found && strings.HasSuffix(r.to[i].text, ".weight")
	}
	return e, append(bound, boundPlace{suffixPlace, suffix}), found && len(r.from) == 1 && len(r.to) < 2
}

// Rules returns the rules of the map.
func (m *Map) Rules() []Rule {
	list := make([]Rule, len(m.rules))
	for i := range m.rules {
		list[i] = m.rules[i].Rule
	}
	return list
}
