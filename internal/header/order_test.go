// The order of names, against the library's sort.

package header

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// named returns tensors of the given names. Their offsets tell them apart.
func named(names []string) []Info {
	tensors := make([]Info, len(names))
	for i, name := range names {
		tensors[i] = Info{Name: name, Offsets: Span{int64(i), int64(i)}}
	}
	return tensors
}

// orderOf returns the indices in the order of names by a sort that is stable.
func orderOf(tensors []Info) []uint32 {
	order := make([]uint32, len(tensors))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return strings.Compare(tensors[a].Name, tensors[b].Name) })
	return order
}

// checkOrder compares both orders, and what is found of duplicates.
func checkOrder(t *testing.T, names []string) {
	t.Helper()
	tensors := named(names)
	want := orderOf(tensors)
	got, equal := sortByName(tensors, descents(tensors), make([]uint32, 2*len(tensors)))
	if got == nil {
		// No descents: the tensors stand in order, and no two are equal.
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Fatalf("%q is taken to be in order", names)
		}
		got = want
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the order of %q is %v, want %v", names, got, want)
	}
	var dups []duplicate
	for i := range want {
		if i > 0 && names[want[i-1]] == names[want[i]] {
			dups = append(dups, duplicate{lost: want[i-1], kept: want[i]})
		}
	}
	if equal != (len(dups) > 0) {
		t.Fatalf("names are said to be equal in %q: %v", names, equal)
	}
	if found := duplicates(tensors, got); !slices.Equal(found, dups) {
		t.Fatalf("the duplicates of %q are %v, want %v", names, found, dups)
	}
}

// TestSortByName has orders that are special to a merge of runs.
func TestSortByName(t *testing.T) {
	for _, names := range []string{
		"", "a", "ab", "ba", "aa", "abc", "acb", "bac", "bca", "cab", "cba", "aab", "aba", "baa", "aaa",
		"abcabc", "abcabcabc", "aceg bdfh", "bdfh aceg", "zyxwvuts", "abababab", "aaaaaaaa", "abcdefgh a", "b abcdefgh",
	} {
		checkOrder(t, strings.Split(names, ""))
	}
}

// TestSortByNameOfRuns has one to seventeen ascending runs, so that merging them
// in pairs leaves one over at every level.
func TestSortByNameOfRuns(t *testing.T) {
	for runs := 1; runs <= 17; runs++ {
		var names []string
		for run := range runs {
			for i := range 5 {
				names = append(names, fmt.Sprintf("layers.%d.%d", i, run*7%runs))
			}
		}
		checkOrder(t, names)
	}
}

// TestSortByNameOfChance has random names out of few, so that many are equal.
func TestSortByNameOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		names := make([]string, r.IntN(40))
		few := 1 + r.IntN(50)
		for i := range names {
			names[i] = fmt.Sprint(r.IntN(few))
		}
		if r.IntN(3) == 0 {
			slices.Sort(names[:r.IntN(len(names)+1)])
		}
		checkOrder(t, names)
	}
}

// TestSortByNameIsOfBytes checks that names are compared as bytes, and not as
// letters: capitals come first, and UTF-8 is in the order of its bytes.
func TestSortByNameIsOfBytes(t *testing.T) {
	checkOrder(t, []string{"b", "a", "B", "A", "é", "z", "\u00ff", "\U0001f600", "\uffff", "a.10", "a.9", "a.", "a", ""})
}
