// Facts in groups: metadata as people read it.

package metadata

import (
	"maps"
	"slices"
	"strings"
)

// A Fact is one thing that metadata says.
type Fact struct {
	Name  string // what it is about, in words, as in "learning rate"; or the key itself
	Value string // what is said, in words where that is plain, else as it stands
	Key   string // the key that says it
}

// A Group is facts about one thing.
type Group struct {
	Title string
	Facts []Fact
}

// The titles of groups, in their order.
const (
	Model    = "Model"    // what it is, who made it, what it is made from
	Adapter  = "Adapter"  // what is added to a model: LoRA and the like
	Training = "Training" // how it was trained
	Dataset  = "Dataset"  // on what
	Digests  = "Digests"  // hashes of this file and of others, as they are claimed
	Other    = "Other"    // keys that are not known
)

// titles are the titles in order.
var titles = [...]string{Model, Adapter, Training, Dataset, Digests, Other}

// Describe returns what metadata says, in groups, none of them empty. Facts are in a
// fixed order: the known ones by how much they say, the others by their keys. It is
// for any goroutine as long as none writes to the map.
//
// Of what kohya-ss/sd-scripts writes, "None" is no fact: it is what a setting that
// was not used becomes as a string.
func Describe(metadata map[string]string) []Group {
	facts := make(map[string][]Fact)
	known := make(map[string]bool, len(knownKeys))
	for i := range knownKeys {
		k := &knownKeys[i]
		known[k.key] = true
		value, ok := metadata[k.key]
		if !ok || unset(k.key, value) {
			continue
		}
		facts[k.group] = append(facts[k.group], k.facts(value)...)
	}
	facts[Training] = append(facts[Training], duration(metadata)...)
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if !known[key] {
			group := groupOf(key)
			facts[group] = append(facts[group], expand(key, key, metadata[key])...)
		}
	}
	var groups []Group
	for _, title := range titles {
		if len(facts[title]) > 0 {
			groups = append(groups, Group{title, facts[title]})
		}
	}
	return groups
}

// unset says whether a value stands for a setting that was not used.
func unset(key, value string) bool { return value == "None" && strings.HasPrefix(key, "ss_") }

// groupOf returns the group of a key that is not known, by what it begins with.
func groupOf(key string) string {
	switch {
	case strings.HasPrefix(key, "modelspec.hash_"), strings.HasPrefix(key, "sshs_"):
		return Digests
	case strings.HasPrefix(key, "modelspec."):
		return Model
	case strings.HasPrefix(key, "ss_"):
		return Training
	}
	return Other
}

// facts returns what a known key says.
func (k *knownKey) facts(value string) []Fact {
	switch k.form {
	case object:
		if facts := k.read(k, value); facts != nil {
			return facts
		}
		return expand(k.key, k.name, value) // it is not of the form that its writer gives it
	case members:
		return expand(k.key, k.name, value)
	case moment:
		value = momentOf(value)
	case flag:
		value = flagOf(value)
	case dataURI:
		value = dataOf(value)
	case framework:
		value = frameworkOf(value)
	}
	return []Fact{{k.name, value, k.key}}
}
