// Finding the signatures that match, and where.

package identity

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// A place is a root and a signature that was found there.
type place struct {
	of   *Signature
	root string
}

// places returns where signatures may match: where one of their first names is.
func (v *inventory) places(s *Signatures) []place {
	seen := make(map[place]bool)
	var list []place
	add := func(p place) {
		if !seen[p] {
			seen[p] = true
			list = append(list, p)
		}
	}
	for _, one := range s.rooted {
		add(place{one, ""})
	}
	hits := make(map[string][]anchor) // by numbered name
	var b []byte
	for _, name := range v.order {
		b = appendNumbered(b[:0], name)
		found, known := hits[string(b)]
		if !known {
			found = s.anchorsIn(string(b))
			hits[string(b)] = found
		}
		for _, a := range found {
			if root, ok := a.rootIn(name); ok {
				add(place{a.of, root})
			}
		}
	}
	for name := range v.modules { // packed weights have other names
		for _, a := range s.anchorsIn(string(appendNumbered(nil, name))) {
			if root, ok := a.rootIn(name); ok {
				add(place{a.of, root})
			}
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		if c := strings.Compare(a.root, b.root); c != 0 {
			return c
		}
		return strings.Compare(a.of.ID, b.of.ID)
	})
	return list
}

// anchorsIn returns the anchors that a numbered name ends with.
func (s *Signatures) anchorsIn(numbered string) (list []anchor) {
	for from := 0; ; {
		list = append(list, s.anchors[numbered[from:]]...)
		next := strings.IndexByte(numbered[from:], '.')
		if next < 0 {
			return list
		}
		from += next + 1
	}
}

// rootIn returns what comes before an anchor in a name.
func (a anchor) rootIn(name string) (root string, ok bool) {
	from := len(name)
	for range a.p.elements {
		from = strings.LastIndexByte(name[:max(from, 0)], '.')
	}
	if from >= 0 && a.p.absolute {
		return "", false
	}
	from++
	return name[:from], a.p.numbered || name[from:] == a.p.name
}

// leaves returns the signatures that match below a root: of those that refine each other the most specific ones.
func (v *inventory) leaves(s *Signature, root string) []judged {
	j, _ := v.judge(s, root)
	if j.verdict != yes {
		return nil
	}
	return v.refined(j)
}

// refined returns the refinements of a signature that match, those that may match if none does, or the signature.
func (v *inventory) refined(j judged) []judged {
	var certain, possible []judged
	for _, child := range j.of.children {
		c, misfit := v.judge(child, j.root)
		c.evidence = append(slices.Clip(j.evidence), c.evidence...)
		switch c.verdict {
		case yes:
			certain = append(certain, v.refined(c)...)
		case maybe:
			possible = append(possible, c)
		default:
			j.misfit(misfit)
		}
	}
	if len(certain) > 0 {
		return ownFirst(certain)
	}
	if len(possible) > 0 {
		return ownFirst(possible)
	}
	return []judged{j}
}

// misfit remembers a tensor whose shape is that of no version, once.
func (j *judged) misfit(ti *safetensors.TensorInfo) {
	if ti == nil || slices.ContainsFunc(j.misfits, func(e Evidence) bool { return e.Tensor == ti }) {
		return
	}
	j.misfits = append(j.misfits, Evidence{Tensor: ti})
}

// ownFirst returns the signatures of a user, if there are any, or all.
func ownFirst(list []judged) []judged {
	if slices.ContainsFunc(list, func(j judged) bool { return j.of.own }) {
		return slices.DeleteFunc(list, func(j judged) bool { return !j.of.own })
	}
	return list
}
