// Objects that kohya-ss/sd-scripts writes about its training data.

package metadata

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mostListed is the most tags, or resolutions, of a folder that are listed.
const mostListed = 20

// decode parses JSON into v. Numbers keep their digits.
func decode(value string, v any) bool {
	d := json.NewDecoder(strings.NewReader(value))
	d.UseNumber()
	return d.Decode(v) == nil
}

// A named is a member of an object whose names are data.
type named[T any] struct {
	name  string
	value T
}

// ordered returns the members of an object in their order, each parsed as a T. Members that are not shown are
// not parsed.
func ordered[T any](value string) ([]named[T], bool) {
	list, ok := membersOf(value)
	if !ok {
		return nil, false
	}
	var out []named[T]
	for _, m := range list {
		var one T
		if len(out) < mostMembers && !decode(m.value, &one) {
			return nil, false
		}
		out = append(out, named[T]{m.name, one})
	}
	return out, true
}

// folders reads "ss_dataset_dirs": folders of images and their repeats.
func folders(k *knownKey, value string) (facts []Fact) {
	type folder struct {
		Repeats json.Number `json:"n_repeats"`
		Images  json.Number `json:"img_count"`
	}
	list, _ := ordered[folder](value)
	for i, f := range list {
		if i == mostMembers {
			return append(facts, Fact{k.name, fmt.Sprintf("%d more", len(list)-i), k.key})
		}
		facts = append(facts, Fact{k.name,
			fmt.Sprintf("%s: %s images, repeated %s times", f.name, number(f.value.Images), number(f.value.Repeats)), k.key})
	}
	return facts
}

// tags reads "ss_tag_frequency": the number of times that each word occurs in the captions of a folder.
func tags(k *knownKey, value string) (facts []Fact) {
	list, _ := ordered[map[string]json.Number](value)
	for i, f := range list {
		if i == mostMembers {
			return append(facts, Fact{k.name, fmt.Sprintf("of %d more folders", len(list)-i), k.key})
		}
		facts = append(facts, Fact{k.name + " of " + f.name, frequencies(f.value), k.key})
	}
	return facts
}

// frequencies lists the most frequent words, each with its number.
func frequencies(counts map[string]json.Number) string {
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(count(counts[b]), count(counts[a])), cmp.Compare(a, b))
	})
	parts := make([]string, 0, mostListed+1)
	for _, w := range words[:min(mostListed, len(words))] {
		parts = append(parts, strings.TrimSpace(w)+" "+number(counts[w]))
	}
	return enumerate(parts, len(words))
}

// enumerate joins the first parts, and says how many more there are.
func enumerate(parts []string, all int) string {
	if more := all - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// A bucket is a resolution and the number of its images.
type bucket struct {
	Resolution []json.Number `json:"resolution"`
	Count      json.Number   `json:"count"`
}

// buckets reads "ss_bucket_info".
func buckets(k *knownKey, value string) []Fact {
	var info struct {
		Buckets map[string]bucket `json:"buckets"`
	}
	if !decode(value, &info) || len(info.Buckets) == 0 {
		return nil
	}
	list := make([]bucket, 0, len(info.Buckets))
	for _, b := range info.Buckets {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b bucket) int {
		return cmp.Or(cmp.Compare(count(b.Count), count(a.Count)), slices.Compare(a.Resolution, b.Resolution))
	})
	parts := make([]string, 0, mostListed+1)
	for _, b := range list[:min(mostListed, len(list))] {
		parts = append(parts, sides(b.Resolution)+" ("+number(b.Count)+")")
	}
	return []Fact{{k.name, enumerate(parts, len(list)), k.key}}
}

// sides returns a resolution as in "832x1216".
func sides(resolution []json.Number) string {
	parts := make([]string, 0, 2)
	for _, n := range resolution[:min(2, len(resolution))] {
		parts = append(parts, number(n))
	}
	return strings.Join(parts, "x")
}

// datasets reads "ss_datasets", which the trainer writes instead of single keys if there are several.
func datasets(k *knownKey, value string) (facts []Fact) {
	var list []struct {
		Batch      json.Number   `json:"batch_size_per_device"`
		Images     json.Number   `json:"num_train_images"`
		Resolution []json.Number `json:"resolution"`
		Subsets    []struct {
			Dir     string      `json:"image_dir"`
			File    string      `json:"metadata_file"`
			Images  json.Number `json:"img_count"`
			Repeats json.Number `json:"num_repeats"`
		} `json:"subsets"`
	}
	if !decode(value, &list) {
		return nil
	}
	for i, d := range list {
		if i == mostMembers {
			return append(facts, Fact{k.name, fmt.Sprintf("%d more", len(list)-i), k.key})
		}
		name := fmt.Sprintf("%s %d", k.name, i+1)
		facts = append(facts, Fact{name, fmt.Sprintf("%s images with repeats, %s, batch size %s", number(d.Images),
			sides(d.Resolution), number(d.Batch)), k.key})
		parts := make([]string, 0, mostListed+1)
		for _, s := range d.Subsets[:min(mostListed, len(d.Subsets))] {
			parts = append(parts, fmt.Sprintf("%s (%s images, repeated %s times)", cmp.Or(s.Dir, s.File), number(s.Images),
				number(s.Repeats)))
		}
		if len(parts) > 0 {
			facts = append(facts, Fact{name + ": folders", enumerate(parts, len(d.Subsets)), k.key})
		}
	}
	return facts
}
