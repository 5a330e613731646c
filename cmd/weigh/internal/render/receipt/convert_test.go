// What convert says of names that strangers chose.

package receipt

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/convert"
	"github.com/weightools/safetensors/pickle/scan"
	"github.com/weightools/safetensors/pickle/torch"
)

// TestConvertNames: nothing that a terminal obeys gets through, and nothing is escaped
// twice.
func TestConvertNames(t *testing.T) {
	const evil = "x\x1b[2J\n"
	files := &shards.Plan{Shards: []shards.PlannedShard{{Name: evil}}}
	c := &Convert{Out: Files{Receipt: files.Receipt()}, Plan: &convert.Plan{
		Sources: []*convert.Source{{
			Path: evil, Root: evil, Warnings: []string{evil},
			Report:  &scan.Report{Verdict: pickle.Suspicious, Findings: []scan.Finding{{Finding: pickle.Finding{Severity: pickle.Warning, Message: evil}}}},
			Skipped: []torch.Skipped{{Path: evil, What: "an int"}, {Path: evil, What: "a sparse tensor", Unsupported: true}},
		}},
		Warnings: []string{evil}, Dropped: []convert.Dropped{{Name: evil, Kept: evil}}, Shared: [][]string{{evil, evil, evil}},
	}}
	var b strings.Builder
	if err := c.Text(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "\x1b") || strings.Contains(text, `\\u001b`) || strings.Count(text, `x\u001b[2J\n`) < 9 {
		t.Errorf("%q", text)
	}
	if !strings.Contains(text, "with x\\u001b[2J\\n and 1 more") {
		t.Errorf("%q", text)
	}
}
