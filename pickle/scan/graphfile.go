// Binary formats of other programs that may contain code or name it.

package scan

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

// others analyzes a part in a format that another package knows. It returns false if the part has
// none of these formats.
func (p *part) others(head []byte) (bool, error) {
	var r *evidence.Report
	var pickles [][]byte
	var err error
	switch {
	case tflite.Is(head):
		p.lookalike(filetype.TFLite.Name())
		r, err = tflite.Analyze(flatbuf.NewFile(p.file, p.size, p.spend))
	case bytes.HasPrefix(head, []byte(columnar.ParquetMagic)):
		p.lookalike(filetype.Parquet.Name())
		r, pickles, err = columnar.Parquet(p.file, p.size, p.spend)
	case bytes.HasPrefix(head, []byte(columnar.ArrowMagic)), columnar.IsStream(head):
		r, pickles, err = columnar.Arrow(p.file, p.size, head, p.spend)
	case rdata.Is(head):
		r, err = rdata.Analyze(io.NewSectionReader(p.file, 0, p.size), head, p.spend)
	default:
		return p.checkpoint(head)
	}
	before := p.formats
	err = p.typed(r, pickles, err)
	return p.formats > before, err
}

// footer analyzes a part that ends like a Parquet file but does not begin like one: readers look
// only at the end.
func (p *part) footer(head []byte) error {
	if bytes.HasPrefix(head, []byte(columnar.ParquetMagic)) {
		return nil
	}
	const size = int64(len(columnar.ParquetMagic))
	if ok, err := p.begins(p.size-size, columnar.ParquetMagic); err != nil || !ok {
		return err
	}
	r, pickles, err := columnar.Parquet(p.file, p.size, p.spend)
	if err == nil && (r.Incomplete != "" || len(r.Findings) == 0) {
		return nil // it ends so by chance, or there is nothing to report
	}
	return p.typed(r, pickles, err)
}

// typed takes over what was found in the schema of a file, and analyzes the pickles in it.
func (p *part) typed(r *evidence.Report, pickles [][]byte, err error) error {
	if err := p.evidence(r, err, p.file); err != nil {
		return err
	}
	for _, b := range pickles {
		if p.crowded() {
			break
		}
		sub := p.newPart(p, "(extension type)", bytes.NewReader(b), int64(len(b)))
		sub.loaded = true
		if err := p.inside(sub); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint recognizes the files of a checkpoint of TensorFlow: tensor data, by its name, and a
// table of the tensors. Loaders read only numbers and texts.
func (p *part) checkpoint(head []byte) (bool, error) {
	data := filetype.DetectHead(head).Kind == filetype.Unknown && strings.Contains(p.name, ".data-000") &&
		strings.Contains(p.name, "-of-000")
	if !data {
		if ok, err := sstable.Valid(p.file, p.size, func(n int64) bool { return p.spend(1 + n) }); err != nil || !ok {
			return false, err
		}
	}
	p.is("tensorflow-checkpoint")
	p.swept = true
	return true, p.numbers(extent.Span{End: p.size}, head)
}
