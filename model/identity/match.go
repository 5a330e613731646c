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

// maxPlaces is the most places that are looked at. Models have some dozens.
const maxPlaces = 2000

// places returns where signatures may match: where one of their first names is.
func (v *inventory) places(s *Signatures) []place {
	seen := make(map[place]bool)
	var list []place
	add := func(p place) {
		if !seen[p] && len(list) < maxPlaces {
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
	for name := range v.packed { // packed weights have other names
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

// anchorsIn returns the anchors that a numbered name ends with. Hostile names have thousands of elements.
func (s *Signatures) anchorsIn(numbered string) (list []anchor) {
	from := len(numbered) + 1
	for range s.longest {
		from = strings.LastIndexByte(numbered[:from-1], '.') + 1
		list = append(list, s.anchors[numbered[from:]]...)
		if from == 0 {
			break
		}
	}
	return list
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

// leaves returns the signatures that match below a root: of those that refine each other the most specific ones. If
// packed weights hide a shape, signatures may match, and count if none matches for certain.
func (v *inventory) leaves(root string, at []place, which func(*Signature) bool) []judged {
	var certain, possible []judged
	configured := v.configuredOf(root, at, which)
	for _, p := range at {
		if !which(p.of) || configured && !p.of.own && !p.of.has(architecture) {
			continue
		}
		switch j, _ := v.judge(p.of, root); j.verdict {
		case yes:
			certain = append(certain, v.refined(j)...)
		case maybe:
			possible = append(possible, v.refined(j)...)
		}
	}
	if len(certain) == 0 {
		certain = possible
	}
	return without(ownFirst(certain), judged.isFallback)
}

// configuredOf reports whether a signature matches by the type in config.json. It says what the whole model is, and
// names and shapes may be those of a part.
func (v *inventory) configuredOf(root string, at []place, which func(*Signature) bool) bool {
	for _, p := range at {
		if which(p.of) && p.of.has(architecture) && v.facts.Type.Value != "" {
			if j, _ := v.judge(p.of, root); j.verdict == yes {
				return true
			}
		}
	}
	return false
}

// has reports whether a signature has a condition with a verb.
func (s *Signature) has(verb verb) bool {
	return slices.ContainsFunc(s.conditions, func(c condition) bool { return c.verb == verb })
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
			possible = append(possible, v.refined(c)...)
		default:
			j.misfit(misfit)
		}
	}
	if len(certain) > 0 {
		return ownFirst(certain)
	}
	if len(possible) > 0 {
		for i := range possible {
			possible[i].verdict = maybe
		}
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
