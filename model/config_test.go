// Configurations: what is wrong with them is noted, and harms nothing.

package model_test

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/model"
)

func TestWrongConfigurationsAreNoted(t *testing.T) {
	for _, tt := range []struct {
		config string
		want   string // part of the one note; "" if there is none
	}{
		{"", ""},
		{"{}", ""},
		{`{"quantization_config":null}`, ""},
		{`{"quantization_config":{"quant_method":"gptq","bits":4,"group_size":-1}}`, "have 4 groups of scales, but the configuration says one"},
		{`{"time_step_limit":[0.0,Infinity],"a":NaN,"b":-Infinity}`, ""},
		{`{"quantization_config":{"quant_method":"gptq","bits":"4"}}`, "bits is a string, expected a number"},
		{`{"quantization_config":{"quant_method":4}}`, "quant_method is a number, expected a string"},
		{`{"tie_word_embeddings":"yes"}`, "tie_word_embeddings is a string, expected true or false"},
		{`{"tie_word_embeddings":false,"text_config":{"tie_word_embeddings":true}}`, "the outer one counts"},
		{`[]`, "config.json is not used: at byte 0: expected an object, found an array"},
		{`{`, "config.json is not used: at byte 1"},
		{"version https://git-lfs.github.com/spec/v1\n", "config.json is not used: at byte 0"},
		{strings.Repeat("[", 200), "config.json is not used: at byte 127: nesting deeper than 127"},
		{strings.Repeat(" ", model.MaxConfig+1), "config.json is not used: it has more than 33,554,432 bytes"},
	} {
		m := small(t, "gptq 4 bits, no configuration").Model()
		m.Config = []byte(tt.config)
		n := model.Count(m)
		if !n.Params.Exact() || n.Params.High != 64*128+norm {
			t.Errorf("%.60s: %+v", tt.config, n.Params)
		}
		switch {
		case tt.want == "" && len(n.Notes) == 0:
		case tt.want != "" && len(n.Notes) == 1 && strings.Contains(n.Notes[0], tt.want):
		default:
			t.Errorf("%.60s: notes %q, want %q", tt.config, n.Notes, tt.want)
		}
	}
}

// The shapes prove 8 bits, whatever is said.
func TestContradictionIsNoted(t *testing.T) {
	n := model.Count(small(t, "gptq 8 bits, the configuration says 4").Model())
	if len(n.Notes) != 1 || !strings.Contains(n.Notes[0], "says 4 bits") || !strings.Contains(n.Notes[0], "prove 8") {
		t.Errorf("notes %q", n.Notes)
	}
}

func TestNotesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"quantization_config":{"config_groups":{`)
	for range 1000 {
		b.WriteString(`"x":{"weights":{"num_bits":"4"}},`)
	}
	b.WriteString(`"y":{"weights":{"num_bits":[]}}}}}`)
	m := small(t, "gptq 4 bits, no configuration").Model()
	m.Config = []byte(b.String())
	if n := model.Count(m); len(n.Notes) != 2 {
		t.Errorf("%d notes, want one for each type", len(n.Notes))
	}
}
