// Models in several files.

package gguf

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
)

// The keys of a part. Only the first part has the other keys of the model.
const (
	keyNo      = "split.no" // from 0
	keyCount   = "split.count"
	keyTensors = "split.tensors.count" // of all parts together
)

// splitKinds are the types of these keys that llama.cpp takes.
var splitKinds = []struct {
	key  string
	kind Kind
}{{keyNo, Uint16}, {keyCount, Uint16}, {keyTensors, Int32}}

// judgeSplitKinds finds keys of a part that llama.cpp does not take.
func (p *parser) judgeSplitKinds() {
	for _, want := range splitKinds {
		if v, ok := p.Find(want.key); ok && v.Kind != want.kind {
			p.found.Add(RuleOddSplit, "", p.span(want.key), "the key %s is %v, and not %v", want.key, v.Kind, want.kind)
		}
	}
}

// judgeParts judges the files of a model together. The parts that are there are in order.
func judgeParts(parts []checkpoint.Part) []*safetensors.Violation {
	found := findings()
	count := numberOf(parts[0].Header, keyCount)
	if count <= 1 && len(parts) == 1 {
		return nil // a whole model
	}
	tensors := 0
	for _, part := range parts {
		tensors += len(part.Header.Tensors)
		judgePart(&found, part)
	}
	first, total, ok := nameOfPart(parts[0].Path)
	want := numberOf(parts[0].Header, keyTensors)
	if ok && first == 1 && len(parts) == total && want >= 0 && want != tensors {
		found.Add(RuleSplit, "", safetensors.Span{}, "%s is %d in %s, and the %d parts have %d tensors", keyTensors, want,
			wording.Quote(parts[0].Path), total, tensors)
	}
	return found.Report().Violations
}

// judgePart compares the keys of a part with its name.
func judgePart(found *checkpoint.Findings, part checkpoint.Part) {
	name, no, count := wording.Quote(part.Path), numberOf(part.Header, keyNo), numberOf(part.Header, keyCount)
	n, total, ok := nameOfPart(part.Path)
	switch {
	case no < 0:
		found.Add(RuleSplit, "", safetensors.Span{}, "%s lacks the key %s", name, keyNo)
	case !ok && count > 1:
		found.Add(RuleOddSplit, "", safetensors.Span{},
			"%s is part %d of %d by its keys, and its name does not end in %q", name, no+1, count,
			fmt.Sprintf("-%05d-of-%05d.gguf", no+1, count))
	case ok && no != n-1:
		found.Add(RuleSplit, "", safetensors.Span{}, "%s is %d in %s, and %d by the name", keyNo, no, name, n-1)
	case ok && n == 1 && count != total:
		found.Add(RuleSplit, "", safetensors.Span{}, "%s is %d in %s, and %d by the name", keyCount, count, name, total)
	}
}

// numberOf returns a number of the metadata, -1 if it is missing or invalid.
func numberOf(h *safetensors.Header, key string) int {
	n, err := strconv.ParseUint(h.Metadata[key], 10, 31)
	if err != nil {
		return -1
	}
	return int(n)
}

// nameOfPart returns the number of a part, from 1, and how many there are, by its name.
func nameOfPart(name string) (n, total int, ok bool) {
	base := strings.TrimSuffix(path.Base(name), ".gguf")
	const form = "-00001-of-00003"
	if len(base) < len(form) {
		return 0, 0, false
	}
	end := base[len(base)-len(form):]
	first, err := strconv.ParseUint(end[1:6], 10, 31)
	last, err2 := strconv.ParseUint(end[10:], 10, 31)
	return int(first), int(last), err == nil && err2 == nil && end[0] == '-' && end[6:10] == "-of-" && first > 0
}
