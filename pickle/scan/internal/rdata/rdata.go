// Objects that R serialized.

// Package rdata finds code in the files of R: promises, which run when a value is used
// (CVE-2024-27322), functions, calls and bytecode. R writes them in files named .rds and .RData.
package rdata

import (
	"bytes"
	"errors"
	"io"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// The rules of this package.
const (
	RulePromise pickle.Rule = "r-promise"
	RuleCode    pickle.Rule = "r-code"
)

// Is reports whether head is the beginning of serialized objects: a letter for the encoding and
// a version, after the magic number of .RData files.
func Is(head []byte) bool {
	return formOf(head) != 0
}

// formOf returns the letter of the encoding, or 0.
func formOf(head []byte) byte {
	head = cutMagic(head)
	switch {
	case len(head) < 6:
	case bytes.HasPrefix(head, []byte("X\n\x00\x00\x00")) && (head[5] == 2 || head[5] == 3):
		return 'X'
	case head[0] == 'A' && isTextHead(head):
		return 'A'
	case head[0] == 'B' && head[1] == '\n' && (head[2] == 2 || head[2] == 3) && head[3] == 0 && head[4] == 0:
		return 'B'
	}
	return 0
}

// isTextHead reports whether head has a line "A" and a line with the version.
func isTextHead(head []byte) bool {
	rest := bytes.TrimLeft(head[1:], "\r\n")
	return len(rest) > 1 && len(rest) < len(head)-1 && (rest[0] == '2' || rest[0] == '3') &&
		(rest[1] == '\r' || rest[1] == '\n')
}

// cutMagic removes the magic number of .RData files, such as "RDX3\n".
func cutMagic(head []byte) []byte {
	const size = 5
	if len(head) > size && bytes.HasPrefix(head, []byte("RD")) && (head[3] == '2' || head[3] == '3') {
		if rest := bytes.TrimLeft(head[size-1:], "\r\n"); len(rest) < len(head)-size+1 {
			return rest
		}
	}
	return head
}

// Analyze parses serialized objects. Errors are evidence.ErrBudget and read errors.
func Analyze(file io.Reader, head []byte, spend func(int64) bool) (*evidence.Report, error) {
	r := &evidence.Report{Format: "r-data"}
	s := newStream(file, formOf(head), spend)
	s.skip(int64(len(head) - len(cutMagic(head)) + len("X\n")))
	err := (&parser{stream: s, Report: r}).parse()
	switch {
	case errors.Is(err, errInvalid), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		r.Incomplete, err = "the data of R is truncated or has an unknown form", nil
	case errors.Is(err, errDeep):
		r.Incomplete, err = err.Error(), nil
	}
	return r, err
}

var (
	errInvalid = errors.New("invalid data")
	errDeep    = errors.New("the objects of R are nested deeper than is analyzed")
)
