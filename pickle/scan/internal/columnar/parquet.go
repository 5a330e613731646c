// Parquet files.

package columnar

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/flatbuf"
)

// The beginning and end of a Parquet file, and of one whose footer is encrypted.
const (
	ParquetMagic     = "PAR1"
	parquetEncrypted = "PARE"
)

// mostFooter is the size of the largest footer that is read, in bytes.
const mostFooter = 16 << 20

// Parquet analyzes the footer of a Parquet file. It returns the pickles that are extension types.
func Parquet(file io.ReaderAt, size int64, spend func(int64) bool) (*evidence.Report, [][]byte, error) {
	r := &reader{Report: &evidence.Report{Format: "parquet"}}
	const tail = 8
	b := make([]byte, tail)
	if size < 2*tail {
		r.Incomplete = "the Parquet file is truncated"
		return r.Report, nil, nil
	}
	if err := bytesio.ReadFull(file, b, size-tail); err != nil {
		return nil, nil, err
	}
	n := int64(binary.LittleEndian.Uint32(b))
	switch magic := string(b[4:]); {
	case magic == parquetEncrypted:
		r.Incomplete = "the footer of the Parquet file is encrypted"
	case magic != ParquetMagic || n > size-tail:
		r.Incomplete = "the Parquet file is truncated or damaged"
	case n > mostFooter:
		r.Incomplete = "the footer of the Parquet file is larger than what is read"
	}
	if r.Incomplete != "" {
		return r.Report, nil, nil
	}
	if !spend(n) {
		return r.Report, nil, evidence.ErrBudget
	}
	footer := make([]byte, n)
	if err := bytesio.ReadFull(file, footer, size-tail-n); err != nil {
		return nil, nil, err
	}
	err := r.footer(&thrift{b: footer, spend: spend}, spend)
	if errors.Is(err, errThrift) || errors.Is(err, flatbuf.ErrInvalid) {
		r.Incomplete, err = "the footer of the Parquet file is damaged", nil
	}
	return r.Report, r.pickles, err
}

// footer examines the metadata of a footer, a list of keys and values that is field 5.
func (r *reader) footer(t *thrift, spend func(int64) bool) error {
	for last := 0; ; {
		id, kind, err := t.field(last)
		if err != nil || kind == 0 {
			return err
		}
		last = id
		if id != 5 || kind != isList {
			if err := t.skip(kind); err != nil {
				return err
			}
			continue
		}
		n, inner, err := t.list()
		if err != nil || inner != isStruct {
			return errThrift
		}
		for range n {
			if err := r.pair(t, spend); err != nil {
				return err
			}
		}
	}
}

// pair examines a key and its value.
func (r *reader) pair(t *thrift, spend func(int64) bool) error {
	var texts [3][]byte // by the number of the field
	for last := 0; ; {
		id, kind, err := t.field(last)
		if err != nil {
			return err
		}
		if kind == 0 {
			break
		}
		last = id
		if kind != isBinary || id < 1 || id > 2 {
			err = t.skip(kind)
		} else {
			texts[id], err = t.binary()
		}
		if err != nil {
			return err
		}
	}
	if string(texts[1]) == "ARROW:schema" {
		return r.schemaText(texts[2], spend)
	}
	r.Keep(string(texts[1]), texts[2], 0)
	return nil
}
