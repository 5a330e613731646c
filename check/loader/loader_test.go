// Parsing names, and applying needs to reports.

package loader_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
)

func TestParse(t *testing.T) {
	got, err := loader.Parse([]string{"vLLM", "transformers", "vllm"})
	if err != nil || !slices.Equal(got, []loader.Name{loader.Transformers, loader.VLLM}) {
		t.Errorf("%v, %v", got, err)
	}
	var unknown *loader.UnknownError
	if _, err = loader.Parse([]string{"vlm"}); !errors.As(err, &unknown) || unknown.Name != "vlm" {
		t.Errorf("%v", err)
	}
	if got, err = loader.Parse(nil); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestApply(t *testing.T) {
	report := func(rule safetensors.Rule, s safetensors.Severity, names ...string) *safetensors.Report {
		return &safetensors.Report{Violations: []*safetensors.Violation{{Rule: rule, Severity: s, Detail: "it", For: names}}}
	}
	both := []loader.Name{loader.Transformers, loader.VLLM}
	for _, tt := range []struct {
		name     string
		report   *safetensors.Report
		names    []loader.Name
		severity safetensors.Severity
		programs string
	}{
		{"no program", report(checkpoint.RuleIndexMissing, safetensors.Warning), nil, safetensors.Warning, ""},
		{"raised", report(checkpoint.RuleIndexMissing, safetensors.Warning), both, safetensors.Error, "transformers"},
		{"raised already", report(checkpoint.RuleIndexMissing, safetensors.Invalid), both, safetensors.Invalid, "transformers"},
		{"nothing needed", report(checkpoint.RuleTwoCopies, safetensors.Note), []loader.Name{loader.Transformers}, safetensors.Note, ""},
		{"of one program", report(check.RuleWeightsExtra, safetensors.Error, "vllm"), both, safetensors.Error, "vllm"},
	} {
		v := loader.Apply("model.safetensors", tt.report, tt.names).Violations[0]
		if v.Severity != tt.severity || strings.Join(v.For, " ") != tt.programs {
			t.Errorf("%s: %v for %v", tt.name, v.Severity, v.For)
		}
		if says := strings.HasPrefix(v.Detail, "it; "+tt.programs+" "); says != (tt.programs != "") {
			t.Errorf("%s: the detail is %q", tt.name, v.Detail)
		}
		if tt.report.Violations[0].Detail != "it" {
			t.Errorf("%s: the report was changed", tt.name)
		}
	}
}
