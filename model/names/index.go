// The index: which tables have a name.

package names

import "strings"

// A table is the names of an architecture in one form.
type table struct {
	arch    *Architecture
	form    Form
	prefix  string // what all names of the body begin with, and keys lack
	entries []entry
}

// An entry is a name of a table, or several that differ in fixed numbers only.
type entry struct {
	key    string // the pattern of the name, without the prefix
	body   bool   // the name has the prefix
	tensor *Tensor
	name   string // as the form spells it
	added  bool   // only some classes have it, and Architecture.Tensors does not list it
}

// A place is where a name is in the tables.
type place struct{ table, entry int32 }

// makeIndex fills the index.
func (t *tableSet) makeIndex() {
	for _, a := range t.all {
		own := &table{arch: a, form: a.Form, prefix: a.Prefix, entries: make([]entry, 0, len(a.Tensors))}
		byName := make(map[string]*Tensor, len(a.Tensors))
		for i := range a.Tensors {
			byName[a.Tensors[i].Name] = &a.Tensors[i]
			own.addKey(a.Tensors[i].pattern, a.Tensors[i].Name, &a.Tensors[i])
		}
		for i := range a.Classes {
			for _, name := range a.Classes[i].Adds {
				if byName[name] == nil {
					byName[name] = &Tensor{Name: name, Role: Head}
					own.add(name, byName[name])
					own.entries[len(own.entries)-1].added = true
				}
			}
		}
		t.tables = append(t.tables, own)
		for _, s := range t.spellings[a.id] {
			other := &table{arch: a, form: s.Form}
			for i := range s.Renames {
				r := &s.Renames[i]
				of := &Tensor{Need: Some} // that only the spelling has
				if len(r.From) > 0 {
					of = byName[r.From[0]]
				}
				for _, name := range r.To {
					other.add(name, of)
				}
			}
			t.tables = append(t.tables, other)
		}
	}
	t.indexEntries()
}

// indexEntries fills the index with the entries of the tables. Keys get numbers first, so that all places are in one
// slice.
func (t *tableSet) indexEntries() {
	number, counts := make(map[string]int32, 1<<14), []int32(nil)
	numbers := make([][]int32, len(t.tables))
	for i, table := range t.tables {
		numbers[i] = make([]int32, len(table.entries))
		for j := range table.entries {
			n, ok := number[table.entries[j].key]
			if !ok {
				n = int32(len(counts))
				number[table.entries[j].key], counts = n, append(counts, 0)
			}
			numbers[i][j] = n
			counts[n]++
		}
	}
	places := make([][]place, len(counts))
	total := 0
	for _, n := range counts {
		total += int(n)
	}
	all := make([]place, total)
	for n, count := range counts {
		places[n], all = all[:0:count], all[count:]
	}
	for i := range numbers {
		for j, n := range numbers[i] {
			if list := places[n]; len(list) == 0 || list[len(list)-1].table != int32(i) { // once for each table
				places[n] = append(list, place{int32(i), int32(j)})
			}
		}
	}
	t.index, t.ends = make(map[string][]place, len(number)), make(map[string]bool)
	for key, n := range number {
		t.index[key] = places[n]
		t.ends[end(key)] = true
	}
}

// mayHave reports whether a table may have the end of a key: it looks at the last elements only, so that unknown names
// cost little.
func (t *tableSet) mayHave(key string) bool {
	last := end(key)
	return t.ends[last] || t.ends[last[strings.IndexByte(last, '.')+1:]]
}

// end returns the last two elements of a key, or the only one.
func end(key string) string {
	last := strings.LastIndexByte(key, '.')
	if last < 0 {
		return key
	}
	return key[strings.LastIndexByte(key[:last], '.')+1:]
}

// add adds a name.
func (t *table) add(name string, of *Tensor) { t.addKey(Pattern(name), name, of) }

// addKey adds a name with its pattern. Prefixes have no numbers, so they are in both.
func (t *table) addKey(pattern, name string, of *Tensor) {
	key, body := strings.CutPrefix(pattern, t.prefix)
	t.entries = append(t.entries, entry{key: key, body: body, tensor: of, name: name})
}
