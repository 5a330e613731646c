// Models of SentencePiece.

// Package sentencepiece recognizes protocol buffers that contain only data: the vocabularies of
// SentencePiece and the fingerprints of SavedModels.
package sentencepiece

import (
	"errors"
	"io"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wire"
)

// Analyze parses a file as a model. The format of the report is "" if it is none. Errors are
// evidence.ErrBudget and read errors.
func Analyze(file *wire.File) (*evidence.Report, error) {
	pieces, fingerprint, span := 0, true, file.All()
	for {
		f, err := file.Next(&span)
		switch {
		case err == io.EOF && pieces > 0:
			return &evidence.Report{Format: "sentencepiece"}, nil
		case err == io.EOF && fingerprint && file.Size > 0:
			return &evidence.Report{Format: "tensorflow-fingerprint"}, nil
		case err == io.EOF, errors.Is(err, wire.ErrInvalid):
			return new(evidence.Report), nil
		case err != nil:
			return nil, err
		}
		fingerprint = fingerprint && isHash(f)
		switch {
		case f.Num == 1 && f.Type == wire.Bytes:
			ok, err := isPiece(file, f.Span)
			if err != nil || !ok {
				return new(evidence.Report), err
			}
			pieces++
		case f.Num >= 2 && f.Num <= 5 && f.Type == wire.Bytes: // about the training and the normalization
		case f.Num >= 200: // extensions
		case !fingerprint:
			return new(evidence.Report), nil
		}
	}
}

// isHash reports whether a field is one of a fingerprint: hashes, a version and a UUID.
func isHash(f wire.Field) bool {
	const most = 40 // bytes
	switch {
	case f.Num <= 5:
		return f.Type == wire.Varint || f.Type == wire.Fixed64
	case f.Num <= 7:
		return f.Type == wire.Bytes && f.Len() <= most
	}
	return false
}

// isPiece reports whether a message is a piece: a text, a score and a type.
func isPiece(file *wire.File, span wire.Span) (bool, error) {
	text := false
	for {
		f, err := file.Next(&span)
		switch {
		case err == io.EOF:
			return text, nil
		case errors.Is(err, wire.ErrInvalid):
			return false, nil
		case err != nil:
			return false, err
		case f.Num == 1 && f.Type == wire.Bytes:
			text = true
		case f.Num == 2 && f.Type == wire.Fixed32, f.Num == 3 && f.Type == wire.Varint, f.Num >= 200:
		default:
			return false, nil
		}
	}
}
