// Texts: pointers, error messages that servers send in place of weights, and source code.

package filetype

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// text recognizes a file that is printable as far as head shows it.
func text(head []byte, _ int64) Type {
	const mark = "\xef\xbb\xbf"
	body, marked := bytes.CutPrefix(head, []byte(mark))
	if t := pointer(bytes.TrimSpace(body)); t.Kind != "" {
		return t
	}
	if !IsText(body) {
		if marked {
			return Type{Kind: ByteOrderMark}
		}
		return Type{}
	}
	trimmed := bytes.TrimSpace(body)
	line := " that begins with " + firstLine(trimmed)
	lower := bytes.ToLower(trimmed)
	for _, p := range prefixes {
		if bytes.HasPrefix(lower, []byte(p.prefix)) {
			kind := p.kind
			if p.refine != nil {
				kind = p.refine(lower)
			}
			if kind == JSONError || kind == StorageError || kind == HTML {
				line = " (" + firstLine(trimmed) + ")"
			}
			return Type{kind, line}
		}
	}
	if isPython(trimmed) {
		return Type{Python, line}
	}
	return Type{Text, line}
}

// prefixes are what texts begin with, in lower case.
var prefixes = [...]struct {
	prefix string
	kind   Kind
	refine func(lower []byte) Kind
}{
	{"<!doctype html", HTML, nil},
	{"<html", HTML, nil},
	{"<?xml", XML, xmlKind},
	{"<error>", XML, xmlKind},
	{"<net ", XML, xmlKind},
	{"{", JSON, jsonKind},
	{"[", JSON, nil},
	{"http/1.", HTTP, nil}, {"http/2", HTTP, nil},
	{"#!", Script, scriptKind},
}

func xmlKind(lower []byte) Kind {
	if _, after, ok := bytes.Cut(lower, []byte("?>")); ok {
		lower = bytes.TrimSpace(after)
	}
	switch {
	case bytes.HasPrefix(lower, []byte("<error>")):
		return StorageError
	case bytes.HasPrefix(lower, []byte("<net ")):
		return OpenVINO
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return HTML
	}
	return XML
}

// jsonKind tells JSON objects by their first key.
func jsonKind(lower []byte) Kind {
	key, rest := firstKey(lower)
	switch key {
	case "error", "errors", "message", "detail", "statuscode", "error_code", "code":
		return JSONError
	case "cells", "nbformat":
		return Notebook
	case "hash", "file_size":
		if bytes.Contains(rest, []byte(`"hash"`)) || bytes.Contains(rest, []byte(`"file_size"`)) {
			return XetPointer
		}
	case "weight_map":
		return SafetensorsIndex
	case "metadata":
		if inner, _ := firstKey(rest); strings.HasPrefix(inner, "total_") || bytes.Contains(rest, []byte(`"weight_map"`)) {
			return SafetensorsIndex
		}
	}
	return JSON
}

// firstKey returns the first key of a JSON object and what follows its colon.
func firstKey(object []byte) (key string, rest []byte) {
	object, ok := bytes.CutPrefix(object, []byte("{"))
	object, quoted := bytes.CutPrefix(bytes.TrimSpace(object), []byte(`"`))
	k, rest, closed := bytes.Cut(object, []byte(`"`))
	rest, colon := bytes.CutPrefix(bytes.TrimSpace(rest), []byte(":"))
	if !ok || !quoted || !closed || !colon {
		return "", nil
	}
	return string(k), bytes.TrimSpace(rest)
}

func scriptKind(lower []byte) Kind {
	line, _, _ := bytes.Cut(lower, []byte("\n"))
	if bytes.Contains(line, []byte("python")) {
		return Python
	}
	return Script
}

// isPython reports whether a text has an import or a definition at the start of a line.
func isPython(text []byte) bool {
	for line := range bytes.Lines(text) {
		if c := line[0]; c == ' ' || c == '\t' || c > ' ' && c < 0x80 && strings.IndexByte("icdf", c) < 0 {
			continue // most lines are not worth splitting
		}
		words := strings.Fields(string(line))
		switch {
		case len(words) < 2:
		case words[0] == "import" && !identifier([]byte(strings.TrimSuffix(words[1], ","))):
		case words[0] == "import" && (len(words) == 2 || words[2] == "as" || strings.HasSuffix(words[1], ",")):
			return true
		case words[0] == "from" && len(words) > 3 && words[2] == "import":
			return true
		case (words[0] == "def" || words[0] == "class") && strings.HasSuffix(words[len(words)-1], ":"):
			return true
		}
	}
	return false
}

// isLink reports whether a text is the destination of a symbolic link in a Hub cache: a path to a file that is named
// after its digest, such as "../../blobs/DIGEST".
func isLink(text []byte) bool {
	folder, hex := path.Split(string(text))
	return strings.HasSuffix(folder, "/blobs/") && !strings.ContainsAny(folder, "\r\n") && len(hex) >= 40 && len(hex) <= 64 &&
		strings.Trim(hex, "0123456789abcdef") == ""
}

// pointer recognizes texts that refer to a file that was not downloaded.
func pointer(text []byte) Type {
	switch {
	case bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")), bytes.HasPrefix(text,
		[]byte("version https://hawser.github.com/spec/")):
		return Type{LFSPointer, lfsDetail(text)}
	case bytes.HasPrefix(text, []byte("# xet version ")):
		return Type{Kind: XetPointer}
	case isLink(text):
		return Type{LinkText, " to " + wording.Quote(string(text))}
	}
	return Type{}
}

// lfsDetail describes the object of a Git LFS pointer. The specification requires the
// keys version, oid and size.
func lfsDetail(text []byte) string {
	var oid, size string
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); key {
		case "oid":
			oid = value
		case "size":
			size = value
		}
	}
	if n, err := strconv.ParseUint(size, 10, 62); err == nil {
		return fmt.Sprintf(" to %s with the oid %s", wording.Count(int64(n), "byte"), plainWord(oid))
	}
	return fmt.Sprintf(" to %s bytes with the oid %s", plainWord(size), plainWord(oid))
}

// plainWord quotes s unless it consists of the characters of an oid or a size.
func plainWord(s string) string {
	odd := func(r rune) bool { return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == ':') }
	if s == "" || len(s) > 80 || strings.ContainsFunc(s, odd) {
		return wording.Quote(s)
	}
	return s
}

func firstLine(b []byte) string {
	const most = 60
	line, _, _ := bytes.Cut(b, []byte("\n"))
	line = bytes.TrimSpace(line)
	if len(line) > most {
		return wording.Quote(strings.ToValidUTF8(string(line[:most]), "")) + "..."
	}
	return wording.Quote(string(line))
}
