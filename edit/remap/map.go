// Maps: rules, checked, and how to find the rule of a name.

package remap

import (
	"fmt"
	"slices"
	"strings"
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

	keyed map[string][]entry // the patterns without {*}, by their key
	stars []entry            // the others
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
	m := &Map{params: params, keyed: make(map[string][]entry, len(rules))}
	for i := range rules {
		r, err := newRule(rules[i])
		if err != nil {
			if rules[i].Where != "" {
				err = fmt.Errorf("%s: %w", rules[i].Where, err)
			}
			return nil, err
		}
		for j := range r.from {
			if r.from[j].star {
				m.stars = append(m.stars, entry{len(m.rules), j})
				continue
			}
			key := r.from[j].key()
			m.keyed[key] = append(m.keyed[key], entry{len(m.rules), j})
		}
		m.rules = append(m.rules, r)
	}
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
			return fmt.Errorf("%q has a placeholder after {*}, which can be followed by text only", p.text)
		}
		if i > 0 && one.place != 0 && one.place != anyText && p.pieces[i-1].place != 0 {
			return fmt.Errorf("%q has two placeholders with nothing between them", p.text)
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
				return 0, fmt.Errorf("%q has the placeholder {%c}, which another name on its side lacks", side[i].text, p)
			case missing && (p == anyText || place != 0 && place != p):
				return 0, fmt.Errorf("%q has the placeholder {%c}, which the other side lacks", side[i].text, p)
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
			n = len(r.to)
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
		return fmt.Errorf("%d tensors cannot become %d with the steps %q: use concat, groups, split or ungroups", n, len(r.to),
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
	return New(rules, m.params)
}

// at adds the place of the rule to an error.
func (r *rule) at(err error) error {
	if r.Where == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.Where, err)
}

// find returns the first rule that has a name, and what its placeholders are.
func (m *Map) find(name string, key []byte, b binding) (entry, binding, bool) {
	best, found := entry{}, false
	var bound binding
	try := func(e entry) {
		if found && e.rule >= best.rule {
			return
		}
		if b, ok := m.rules[e.rule].from[e.from].match(name, b); ok {
			best, bound, found = e, slices.Clone(b), true
		}
	}
	for _, e := range m.keyed[string(appendKey(key[:0], name))] {
		try(e)
	}
	for _, e := range m.stars {
		try(e)
	}
	return best, bound, found
}
