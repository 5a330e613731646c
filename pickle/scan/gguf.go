// GGUF files: their metadata may contain a template.

package scan

import (
	"bytes"
	"errors"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/gguf"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// isGGUF reports whether head is the start of a GGUF file.
func isGGUF(head []byte) bool { return bytes.HasPrefix(head, []byte(gguf.Magic)) }

// A ggufJudge examines the strings of metadata.
type ggufJudge struct{ *part }

// Text examines a string. Those of a vocabulary are many and short.
func (g ggufJudge) Text(key string, value []byte, element bool, at int64) {
	if value == nil {
		g.unscanned(at, "the metadata %s is longer than is read", quoted(key))
		return
	}
	if element && !settings.Templated(value) && !bytes.Contains(value, []byte("python/")) &&
		!bytes.Contains(value, []byte("_target_")) {
		return
	}
	g.texts().Value(key, string(value), at)
}

// Spend takes work from the budget.
func (g ggufJudge) Spend(n int64) bool { return g.spend(n) }

// gguf analyzes a GGUF file. Its tensors are numbers.
func (p *part) gguf([]byte) error {
	_, err := gguf.Read(p.file, p.size, ggufJudge{p})
	var invalid *gguf.Error
	switch {
	case errors.Is(err, evidence.ErrBudget):
		p.overWork(0)
	case errors.As(err, &invalid) && invalid.Short:
		p.find(pickle.RuleTruncated, invalid.At, "%v", err)
	case errors.As(err, &invalid):
		p.find(RuleBadHeader, invalid.At, "the header of the GGUF file is invalid: %v", err)
	case err != nil:
		return err
	}
	p.is(string(filetype.GGUF))
	p.lookalike(filetype.GGUF.Name())
	p.swept = true
	return nil
}
