// Schemes: a small model of each, and the number that it has to come to.

package model_test

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/model"
)

// A Case is a model of a module or two.
type Case struct {
	Name string
	Make func() *Fixture
	Want model.Range // logical parameters
}

//go:embed testdata/small.txt
var smallText string

//go:embed testdata/packers.txt
var packersText string

// up is the module that most cases are about, which their text calls "up".
const up = "model.layers.0.mlp.up_proj"

// smallModels returns the cases of small.txt, which says what is in it. A fixture is made
// anew for each call of Make, so that a test may change it.
func smallModels() []Case { return casesIn(smallText) }

// packedModels returns the cases of small.txt and of packers.txt.
func packedModels() []Case { return append(smallModels(), casesIn(packersText)...) }

// casesIn returns the cases that a text describes.
func casesIn(text string) []Case {
	var cases []Case
	var lines []string // of the case that is being read
	end := func() {
		if len(lines) > 0 {
			own := lines[2:]
			cases = append(cases, Case{lines[0], func() *Fixture { return fixtureOf(own) }, rangeOf(lines[1])})
		}
		lines = nil
	}
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "" || line[0] == '#':
		case line[0] == '\t':
			lines = append(lines, line[1:])
		default:
			end()
			lines = []string{line}
		}
	}
	end()
	return cases
}

// rangeOf reads a number, or two with "to" between them.
func rangeOf(text string) model.Range {
	low, high, ok := strings.Cut(text, " to ")
	if !ok {
		high = low
	}
	return model.Range{Low: whole(low), High: whole(high)}
}

// whole reads a number. The text is this package's own, so a slip in it is a panic.
func whole(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("small.txt: %v", err))
	}
	return n
}

// fixtureOf returns the model that the lines of a case describe.
func fixtureOf(lines []string) *Fixture {
	d, f := new(Draft), new(Fixture)
	f.Shards = []*Draft{d}
	for _, line := range lines {
		switch first, rest, _ := strings.Cut(line, " "); first {
		case "config.json":
			f.Config = rest
		case "hf_quant_config.json":
			f.ModelOpt = rest
		case "quant_model_description.json":
			f.Description = rest
		case "__metadata__":
			key, value, _ := strings.Cut(rest, " ")
			d.Header.Metadata = map[string]string{full(key): value}
		default:
			d.addLine(full(first), rest)
		}
	}
	if len(d.Header.Tensors) > 0 {
		d.Add("model.norm.weight", "BF16", 128)
	}
	return f
}

// full returns a name in which "up" is written out.
func full(name string) string {
	if rest, ok := strings.CutPrefix(name, "up."); ok {
		return up + "." + rest
	}
	return name
}

// addLine adds a tensor whose dtype and shape are text, as in "F16 [64,128]".
func (d *Draft) addLine(name, text string) {
	dtype, dims, _ := strings.Cut(text, " ")
	var shape []int64
	for dim := range strings.SplitSeq(strings.Trim(dims, "[]"), ",") {
		if dim != "" {
			shape = append(shape, whole(dim))
		}
	}
	d.Add(name, safetensors.Dtype(dtype), shape...)
}
