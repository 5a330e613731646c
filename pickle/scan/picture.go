// Pictures, which model cards and datasets contain.

package scan

import (
	"errors"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/picture"
)

// picture analyzes a picture. It is safe if all bytes belong to it: no loader runs a picture, and
// the readings that ignore what a file is are tried on every part.
func (p *part) picture(t filetype.Type) error {
	p.Is(string(t.Kind))
	p.Lookalike(t.Kind.Name())
	p.swept = true
	end, err := picture.End(t.Kind, p.file, p.size, func(n int64) bool { return p.Spend(1 + n/perInstr) })
	var broken *picture.StructureError
	switch {
	case errors.Is(err, evidence.ErrBudget):
		p.OverWork(end)
		return nil
	case errors.As(err, &broken):
		p.Unanalysed("it begins like %s, but %s; the rest is not analyzed", t, broken)
	case err != nil:
		return err
	}
	rest := extent.Span{Begin: end, End: p.size}
	if rest.Len() == 0 {
		return nil
	}
	if err == nil {
		p.Unanalysed("it is %s, and %s follow the picture, which are not analyzed", t, bytesOf(rest.Len()))
	}
	return p.Sweep(rest)
}
