// GGUF files: their metadata may contain a template.

package foreign

import (
	"errors"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/gguf"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/settings"
)

// RuleBadHeader is the rule about invalid headers.
const RuleBadHeader pickle.Rule = "bad-header"

// IsGGUF reports whether head is the start of a GGUF file.
func IsGGUF(head []byte) bool { return gguf.Is(head) }

// GGUF analyzes a GGUF file. Its tensors are numbers.
func (p *Part) GGUF() error {
	f, err := gguf.Open(paid{p.File, p.Spend}, p.Size)
	if f != nil {
		err = errors.Join(p.ggufTexts(f), err)
	}
	var invalid *safetensors.Violation
	switch {
	case errors.Is(err, evidence.ErrBudget):
		p.OverWork(0)
	case errors.As(err, &invalid) && f != nil && f.Version == 1 && invalid.Rule == gguf.RuleVersion: // old, not damaged
	case errors.As(err, &invalid) && invalid.Rule == gguf.RuleTruncated:
		p.Find(pickle.RuleTruncated, invalid.Span.Begin, "%s", invalid.Detail)
	case errors.As(err, &invalid):
		p.Find(RuleBadHeader, invalid.Span.Begin, "the GGUF file is invalid: %s", invalid.Detail)
	case err != nil:
		return err
	}
	p.Is(string(filetype.GGUF))
	p.Lookalike(filetype.GGUF.Name())
	p.Swept()
	return nil
}

// ggufTexts examines the strings of the metadata. Arrays are on a stack, each with what is left of it.
func (p *Part) ggufTexts(f *gguf.File) error {
	for i := range f.Keys {
		key := &f.Keys[i]
		if key.Value.Kind == gguf.String {
			if err := p.ggufText(f, key.Name, key.Value, false); err != nil {
				return err
			}
		}
		for arrays := []gguf.Value{key.Value}; len(arrays) > 0; {
			array := arrays[len(arrays)-1]
			arrays = arrays[:len(arrays)-1]
			if array.Kind != gguf.Array || array.Elem != gguf.String && array.Elem != gguf.Array {
				continue
			}
			for v, err := range f.Elements(array) {
				if v.Kind == gguf.Array {
					arrays = append(arrays, v)
				} else if err == nil {
					err = p.ggufText(f, key.Name, v, true)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ggufText examines a string. A vocabulary has many short ones.
func (p *Part) ggufText(f *gguf.File, key string, v gguf.Value, element bool) error {
	const most = 4 << 20 // bytes
	if v.Len > most {
		p.Unscanned(v.Span.Begin, "the metadata %s is longer than is read", quoted(key))
		return nil
	}
	if !p.Spend(v.Len + 4) {
		return evidence.ErrBudget
	}
	text, err := f.Text(v, most)
	if err != nil {
		return err
	}
	if !element || settings.Templated([]byte(text)) || strings.Contains(text, "python/") ||
		strings.Contains(text, "_target_") {
		p.Value(key, text, v.Span.Begin)
	}
	return nil
}

// paid is a file that costs work to read.
type paid struct {
	io.ReaderAt
	spend func(int64) bool
}

// ReadAt implements [io.ReaderAt].
func (r paid) ReadAt(b []byte, off int64) (int, error) {
	if !r.spend(1 + int64(len(b))/16) {
		return 0, evidence.ErrBudget
	}
	return r.ReaderAt.ReadAt(b, off)
}
