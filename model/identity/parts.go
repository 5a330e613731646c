// Parts of a model: what signatures match at the same root.

package identity

import (
	"fmt"
	"slices"
	"strings"
)

// parts returns the parts of a model, by their roots. What is below the root of another part belongs to that one.
func (v *inventory) parts(s *Signatures, which func(*Signature) bool) []Part {
	var list []Part
	var outer string // the root of the last part that is one whole
	inside := false
	places := v.places(s)
	for len(places) > 0 {
		root := places[0].root
		n := 1
		for n < len(places) && places[n].root == root {
			n++
		}
		at := places[:n]
		places = places[n:]
		if inside && strings.HasPrefix(root, outer) {
			continue
		}
		leaves := v.leaves(root, at, which)
		list = append(list, partsOf(root, leaves)...)
		if len(leaves) > 0 && !list[len(list)-1].Kind.contains() {
			outer, inside = root, true
		}
		if len(list) >= MaxParts {
			break
		}
	}
	v.countTensors(list)
	return list
}

// without returns the signatures that are not weak, or all if all are.
func without(list []judged, weak func(judged) bool) []judged {
	if slices.ContainsFunc(list, func(j judged) bool { return !weak(j) }) {
		return slices.DeleteFunc(list, weak)
	}
	return list
}

// first returns the signature that this one refines, directly or not.
func (j judged) first() *Signature {
	s := j.of
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// isFallback reports whether a signature, or the one that it refines, is a fallback.
func (j judged) isFallback() bool { return j.first().fallback }

// partsOf returns the part of a root. A container is a part of its own.
func partsOf(root string, leaves []judged) (list []Part) {
	var rest []judged
	for _, j := range leaves {
		if j.of.Kind.contains() {
			list = append(list, partOf(root, []judged{j}))
		} else {
			rest = append(rest, j)
		}
	}
	if len(rest) > 0 {
		list = append(list, partOf(root, rest))
	}
	return list
}

// partOf describes what the signatures that match at a root agree in.
func partOf(root string, leaves []judged) Part {
	first := leaves[0].of
	p := Part{Root: root, Status: Known, Kind: first.Kind, Family: first.Family}
	var reasons, families, kinds []string
	for i := range leaves {
		j := &leaves[i]
		p.Candidates = append(p.Candidates, j.of)
		kinds = appendNew(kinds, string(j.of.Kind))
		families = appendNew(families, j.of.Family)
		for _, version := range j.of.Versions {
			p.Versions = appendNew(p.Versions, version)
		}
		for _, e := range j.evidence {
			if !slices.Contains(p.Evidence, e) {
				p.Evidence = append(p.Evidence, e)
			}
		}
		if j.of.Because != "" {
			reasons = appendNew(reasons, j.of.Because)
		}
		if j.verdict == maybe && len(leaves) > 1 {
			reasons = appendNew(reasons, "packed weights do not show the shapes that tell them apart")
		}
		if len(j.misfits) > 0 && len(leaves) == 1 && len(j.of.Versions) == 0 {
			p.Notes = append(p.Notes, "no version with these sizes is known: "+j.misfits[0].String())
		}
	}
	p.Kind, p.Family = Kind(strings.Join(kinds, " or ")), strings.Join(families, " or ")
	if len(families) > 1 || len(kinds) > 1 || len(p.Versions) > 1 {
		p.Status = Ambiguous
		if len(reasons) == 0 {
			reasons = []string{"the names and shapes fit all of them"}
		}
		p.Because = strings.Join(reasons, "; ")
	}
	return p
}

// appendNew appends a text if the list does not have it.
func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// countTensors counts the tensors below each root.
func (v *inventory) countTensors(list []Part) {
	counts := make(map[string]int)
	for i := range list {
		counts[list[i].Root] = 0
	}
	for _, name := range v.order {
		for end := 0; ; {
			if n, ok := counts[name[:end]]; ok {
				counts[name[:end]] = n + 1
			}
			next := strings.IndexByte(name[end:], '.')
			if next < 0 {
				break
			}
			end += next + 1
		}
	}
	for i := range list {
		list[i].Tensors = counts[list[i].Root]
	}
}

// seen describes a model without signature: how many names begin in the same way.
func (v *inventory) seen() (list []string) {
	const most = 5
	counts := make(map[string]int)
	for _, name := range v.order {
		first, _, _ := strings.Cut(name, ".")
		counts[string(appendNumbered(nil, first))]++
	}
	var words []string
	for word := range counts {
		words = append(words, word)
	}
	slices.SortFunc(words, func(a, b string) int {
		if c := counts[b] - counts[a]; c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	for i, word := range words {
		if i == most {
			break
		}
		list = append(list, fmt.Sprintf("%d names begin with %s", counts[word], word))
	}
	return list
}
