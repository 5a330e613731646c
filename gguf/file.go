// Opening files.

package gguf

import (
	"errors"
	"fmt"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/bytesio"
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

	// Complete reports whether the header was read to its end.
	Complete bool

	// Violations are in the order of the bytes at fault, at most 1,000 of each rule.
	Violations []*safetensors.Violation

	// Omitted is the number of further violations of each rule, or nil.
	Omitted map[safetensors.Rule]int
}

// Is reports whether bytes at the start of a file are those of a GGUF file.
func Is(head []byte) bool { return len(head) >= 4 && string(head[:4]) == magic }

// Open reads the header of a file of the given size in bytes. It requires only what reading the metadata and the
// tensors requires; use [Validate] for a judgment. Tensors of unknown types are listed.
//
// The error is a *[safetensors.Violation] for an invalid file, or that of reading. With an error, the File is nil or
// has what was read before, so that its metadata can be examined.
func Open(r io.ReaderAt, size int64) (*File, error) {
	p, err := parse(r, size, false)
	if err == nil && p.Alignment > 0 {
		err = p.locate()
	}
	f := fileOf(p, r)
	if err != nil {
		return f, err
	}
	var old error
	for _, v := range p.found.Report().Violations {
		switch {
		case v.Rule == RuleVersion: // what else is wrong says more
			old = v
		case v.Severity == safetensors.Invalid && v.Rule != RuleTensorType:
			return f, v
		}
	}
	return f, old
}

// fileOf returns a file as far as it was read, nil if not even the version was.
func fileOf(p *parser, r io.ReaderAt) *File {
	if p.Version == 0 {
		return nil
	}
	return &File{Header: p.Header, r: r, size: p.size}
}

// Validate reads a file of the given size in bytes as far as it can, and judges it by all rules of the format. It reads
// the header and padding. The error is one of reading.
func Validate(r io.ReaderAt, size int64) (*Report, error) { return validate(r, size, true, nil) }

// validate judges a file. It reads padding only if that is set.
func validate(r io.ReaderAt, size int64, padding bool, o *Options) (*Report, error) {
	p, err := parse(r, size, true)
	if p.padding = padding; err == nil && p.Alignment > 0 {
		err = p.locate()
	}
	if err != nil {
		return nil, err
	}
	if p.complete && p.Version > 0 {
		f := fileOf(p, r)
		if err := errors.Join(p.judgeModel(f), p.judgeTexts(f, o)); err != nil {
			return nil, err
		}
	}
	found := p.found.Report()
	return &Report{fileOf(p, r), p.complete, found.Violations, found.Omitted}, nil
}

// Text returns a string of at most so many bytes. It reads the file if the string is not in memory. The bytes need not
// be UTF-8.
func (f *File) Text(v Value, most int64) (string, error) {
	text, short := v.Short()
	switch {
	case v.Kind != String:
		return "", fmt.Errorf("gguf: a %v is not a string", v.Kind)
	case v.Len > most:
		return "", fmt.Errorf("gguf: the string at byte %d has %d bytes, more than the limit of %d",
			v.Span.Begin, v.Len, most)
	case short:
		return text, nil
	}
	b, err := bytesio.ReadAll(io.NewSectionReader(f.r, v.Span.Begin, v.Len))
	return string(b), err
}
