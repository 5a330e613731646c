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
	t.index, t.ends = make(map[string][]place), make(map[string]bool)
	for _, a := range t.all {
		own := &table{arch: a, form: a.Form, prefix: a.Prefix}
		byName := make(map[string]*Tensor, len(a.Tensors))
		for i := range a.Tensors {
			byName[a.Tensors[i].Name] = &a.Tensors[i]
			own.add(a.Tensors[i].Name, &a.Tensors[i])
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
	for i, table := range t.tables {
		seen := make(map[string]bool, len(table.entries))
		for j := range table.entries {
			if key := table.entries[j].key; !seen[key] {
				seen[key] = true
				t.index[key] = append(t.index[key], place{int32(i), int32(j)})
				t.ends[end(key)] = true
			}
		}
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

func (t *table) add(name string, of *Tensor) {
	rest, body := strings.CutPrefix(name, t.prefix)
	t.entries = append(t.entries, entry{key: Pattern(rest), body: body, tensor: of, name: name})
}
