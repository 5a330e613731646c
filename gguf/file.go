// Opening files.

package gguf

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// A File is an open GGUF file. Its methods may be called concurrently if the ReaderAt allows it.
type File struct {
	Header

	r    io.ReaderAt
	size int64
}

// A Report is what [Validate] finds.
type Report struct {
	// File is what could be read of the file, or nil. Only tensors without violations can be read.
	File *File

	// Violations are in the order of the bytes at fault, at most 1,000 of each rule.
	Violations []*safetensors.Violation

	// Omitted is the number of further violations of each rule, or nil.
	Omitted map[safetensors.Rule]int
}

// Is reports whether bytes at the start of a file are those of a GGUF file.
func Is(head []byte) bool { return len(head) >= 4 && string(head[:4]) == magic }

// Open reads the header of a file of the given size in bytes. It requires only what reading the metadata and the
// tensors requires; use [Validate] for a judgment. The error is a *[safetensors.Violation] for an invalid file, or that
// of reading. Tensors of unknown types are listed.
func Open(r io.ReaderAt, size int64) (*File, error) {
	p, err := read(r, size, false)
	if err != nil {
		return nil, err
	}
	for _, v := range p.found.sorted() {
		if v.Severity == safetensors.Invalid && v.Rule != RuleTensorType {
			return nil, v
		}
	}
	return &File{Header: p.Header, r: r, size: size}, nil
}

// Validate reads a file of the given size in bytes as far as it can, and judges it by all rules of the format. It reads
// the header and padding. The error is one of reading.
func Validate(r io.ReaderAt, size int64) (*Report, error) {
	p, err := read(r, size, true)
	if err != nil {
		return nil, err
	}
	if !p.found.incomplete && p.Version > 0 {
		if err := p.judgeModel(r); err != nil {
			return nil, err
		}
	}
	report := &Report{Violations: p.found.sorted(), Omitted: p.found.omitted()}
	if p.Version > 0 {
		report.File = &File{Header: p.Header, r: r, size: size}
	}
	return report, nil
}

// read reads the header, and the positions of the tensors.
func read(r io.ReaderAt, size int64, all bool) (*parser, error) {
	p, err := parse(r, size, all)
	if err != nil {
		return nil, err
	}
	if p.Alignment > 0 {
		err = p.locate()
	}
	return p, err
}

// Text returns the string that is the value of a key, of at most so many bytes. Bytes that are not UTF-8 are replaced.
func (f *File) Text(key string, most int64) (string, error) {
	v, ok := f.Find(key)
	switch {
	case !ok || v.Kind != String:
		return "", fmt.Errorf("gguf: there is no string with the key %s", wording.Quote(key))
	case v.Len > most:
		return "", fmt.Errorf("gguf: the value of %s has %d bytes, more than the limit of %d", wording.Quote(key),
			v.Len, most)
	}
	text, short := v.Short()
	if !short {
		b := make([]byte, v.Len)
		if n, err := f.r.ReadAt(b, v.Span.Begin); n < len(b) {
			return "", fmt.Errorf("gguf: reading the value of %s: %w", wording.Quote(key), err)
		}
		text = string(b)
	}
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	return text, nil
}
