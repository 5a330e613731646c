// Binary formats of other programs that may contain code or name it.

package foreign

import (
	"bytes"
	"io"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/columnar"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/flatbuf"
	"github.com/weightools/safetensors/pickle/scan/internal/rdata"
	"github.com/weightools/safetensors/pickle/scan/internal/sstable"
	"github.com/weightools/safetensors/pickle/scan/internal/tflite"
)

// Others analyzes a part in a format that another package knows. It returns false if the part has
// none of these formats.
func (p *Part) Others(head []byte) (bool, error) {
	var r *evidence.Report
	var pickles [][]byte
	var err error
	switch {
	case tflite.Is(head):
		p.Lookalike(filetype.TFLite.Name())
		r, err = tflite.Analyze(flatbuf.NewFile(p.File, p.Size, p.Spend))
	case bytes.HasPrefix(head, []byte(columnar.ParquetMagic)):
		p.Lookalike(filetype.Parquet.Name())
		r, pickles, err = columnar.Parquet(p.File, p.Size, p.Spend)
	case bytes.HasPrefix(head, []byte(columnar.ArrowMagic)), columnar.IsStream(head):
		r, pickles, err = columnar.Arrow(p.File, p.Size, head, p.Spend)
	case rdata.Is(head):
		r, err = rdata.Analyze(io.NewSectionReader(p.File, 0, p.Size), head, p.Spend)
	default:
		return p.checkpoint(head)
	}
	before := p.Formats()
	err = p.typed(r, pickles, err)
	return p.Formats() > before, err
}

// footer analyzes a part that ends like a Parquet file but does not begin like one: readers look
// only at the end.
func (p *Part) footer(head []byte) error {
	if bytes.HasPrefix(head, []byte(columnar.ParquetMagic)) {
		return nil
	}
	const size = int64(len(columnar.ParquetMagic))
	if b, err := p.At(p.Size-size, int(size)); err != nil || string(b) != columnar.ParquetMagic {
		return err
	}
	r, pickles, err := columnar.Parquet(p.File, p.Size, p.Spend)
	if err == nil && (r.Incomplete != "" || len(r.Findings) == 0) {
		return nil // it ends so by chance, or there is nothing to report
	}
	return p.typed(r, pickles, err)
}

// typed takes over what was found in the schema of a file, and analyzes the pickles in it.
func (p *Part) typed(r *evidence.Report, pickles [][]byte, err error) error {
	if err := p.evidence(r, err, p.File); err != nil {
		return err
	}
	return p.Pickles("(extension type)", pickles)
}

// checkpoint recognizes the files of a checkpoint of TensorFlow: tensor data, by its name, and a
// table of the tensors. Loaders read only numbers and texts.
func (p *Part) checkpoint(head []byte) (bool, error) {
	data := p.Kind == filetype.Unknown && strings.Contains(p.Name, ".data-000") &&
		strings.Contains(p.Name, "-of-000")
	if !data {
		if ok, err := sstable.Valid(p.File, p.Size, func(n int64) bool { return p.Spend(1 + n) }); err != nil || !ok {
			return false, err
		}
	}
	p.Is("tensorflow-checkpoint")
	p.Swept()
	return true, p.Numbers(extent.Span{End: p.Size}, head)
}
