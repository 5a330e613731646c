// Selections that match nothing: errors with the nearest names.

package cli

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// CheckSelected returns an error if a pattern or a dtype of the selection matches none of the tensors, or if no tensor
// is selected: a report on no tensors looks like good news. Not every file has tensors, so a selection of all of them
// may be empty.
func CheckSelected(sel *listing.Selection, all iter.Seq[*safetensors.TensorInfo]) error {
	if !sel.Filters() {
		return nil
	}
	if err := CheckMatched(slices.Concat(sel.Include, sel.Exclude), namesOf(all)); err != nil {
		return err
	}
	dtypes := make(map[safetensors.Dtype]bool)
	selected := make(map[safetensors.Dtype]bool) // of the tensors whose names are selected
	for t := range all {
		dtypes[t.Dtype] = true
		if sel.Filter.Has(t.Name) {
			selected[t.Dtype] = true
		}
	}
	for _, d := range sel.Dtypes {
		switch {
		case dtypes[d]:
		case d.Bits() == 0:
			return UnknownDtypeError("--dtype", string(d))
		default:
			return Usagef("no tensor has dtype %s: %s", d, listOfDtypes(dtypes))
		}
	}
	if len(selected) == 0 {
		return Usagef("no tensor is left: --exclude matches all that are selected")
	}
	if len(sel.Dtypes) > 0 && !slices.ContainsFunc(sel.Dtypes, func(d safetensors.Dtype) bool { return selected[d] }) {
		return Usagef("no tensor matches the patterns and --dtype: among those that match the patterns, %s",
			listOfDtypes(selected))
	}
	return nil
}

// DtypesOf says which dtypes tensors have.
func DtypesOf(all iter.Seq[*safetensors.TensorInfo]) string {
	has := make(map[safetensors.Dtype]bool)
	for t := range all {
		has[t.Dtype] = true
	}
	return listOfDtypes(has)
}

// listOfDtypes says which dtypes there are.
func listOfDtypes(has map[safetensors.Dtype]bool) string {
	var list []string
	for d := range has {
		list = append(list, typeset.Name(string(d)))
	}
	switch slices.Sort(list); len(list) {
	case 0:
		return "there are no tensors"
	case 1:
		return "all are " + list[0]
	}
	return "the dtypes are " + strings.Join(list, ", ")
}

// CheckMatched returns an error for the first pattern that matches no name.
func CheckMatched(patterns []*glob.Pattern, names iter.Seq[string]) error {
	for _, p := range patterns {
		if matchesAny(p, names) {
			continue
		}
		return Usagef("no tensor matches %q: patterns match the whole name; %s", p, NearestTo(p.String(), names))
	}
	return nil
}

// NearestTo returns advice about a pattern that matches none of names: a pattern that matches some, or names that are
// similar.
func NearestTo(pattern string, names iter.Seq[string]) string {
	for near := range similarPatterns(pattern, names) {
		p, err := glob.Compile(near)
		switch {
		case err != nil || !matchesAny(p, names):
		case strings.Contains(near, "*"):
			return "try '" + near + "'"
		default:
			return `did you mean "` + near + `"?`
		}
	}
	return Nearest(pattern, names)
}

// similarPatterns yields patterns that may have been meant. Users of shells and of grep expect that * matches dots, and
// that a part of a name is enough.
func similarPatterns(pattern string, names iter.Seq[string]) iter.Seq[string] {
	return func(yield func(string) bool) {
		spelled := corrected(pattern, names)
		for _, p := range slices.Compact([]string{pattern, spelled}) {
			if strings.Trim(p, "*") == "" {
				yield("**")
				return
			}
			greedy := strings.ReplaceAll(strings.ReplaceAll(p, "**", "*"), "*", "**")
			if !yield(p) || !yield(greedy) || !yield("**"+strings.Trim(p, "*")+"**") ||
				!yield("**"+strings.Trim(greedy, "*")+"**") {
				return
			}
		}
	}
}

// corrected returns the pattern with its words replaced by similar words of names. Words are between dots.
func corrected(pattern string, names iter.Seq[string]) string {
	const most = 10_000 // words; layers and experts repeat them
	known := make(map[string]bool)
	for name := range names {
		for word := range strings.SplitSeq(name, ".") {
			known[word] = true
		}
		if len(known) > most {
			break
		}
	}
	words, vocabulary := strings.Split(pattern, "."), slices.Sorted(maps.Keys(known))
	for i, word := range words {
		if !known[word] && !strings.ContainsAny(word, "*?[\\") {
			words[i] = cmp.Or(Suggest(word, vocabulary), word)
		}
	}
	return strings.Join(words, ".")
}

// matchesAny reports whether the pattern matches a name.
func matchesAny(p *glob.Pattern, names iter.Seq[string]) bool {
	for name := range names {
		if p.Match(name) {
			return true
		}
	}
	return false
}

// namesOf yields the names of tensors.
func namesOf(all iter.Seq[*safetensors.TensorInfo]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range all {
			if !yield(t.Name) {
				return
			}
		}
	}
}

// InfosOf yields the headers' entries of tensors.
func InfosOf(lists ...[]*safetensors.Tensor) iter.Seq[*safetensors.TensorInfo] {
	return func(yield func(*safetensors.TensorInfo) bool) {
		for _, list := range lists {
			for _, t := range list {
				if !yield(&t.TensorInfo) {
					return
				}
			}
		}
	}
}

// InfosIn yields the entries of the headers of files.
func InfosIn(files []listing.File) iter.Seq[*safetensors.TensorInfo] {
	return func(yield func(*safetensors.TensorInfo) bool) {
		for _, file := range files {
			for i := 0; file.Header != nil && i < len(file.Header.Tensors); i++ {
				if !yield(&file.Header.Tensors[i]) {
					return
				}
			}
		}
	}
}
