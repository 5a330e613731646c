// Facts in groups.

package metadata

import (
	"maps"
	"slices"
	"strings"
)

// Describe returns the facts in metadata, in groups that are not empty. Facts are in a fixed order: known ones by
// importance, others by their keys.
//
// Describe omits values of kohya-ss/sd-scripts that are "None", which it writes for unused settings.
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

// unset reports whether a value means that a setting was not used.
func unset(key, value string) bool { return value == "None" && strings.HasPrefix(key, "ss_") }

// groupOf returns the group of an unknown key, by its prefix.
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

// facts returns the facts in the value of a known key.
func (k *knownKey) facts(value string) []Fact {
	switch k.form {
	case object:
		if facts := k.read(k, value); facts != nil {
			return facts
		}
		return expand(k.key, k.name, value) // not in the form that its program writes
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
