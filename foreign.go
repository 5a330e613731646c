// Foreign files: what a file is that is not a safetensors file.

package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// sniffSize is how many bytes, from the start of a file, say what it is. The
// farthest that any format needs is tar's name at 257.
const sniffSize = 1024

// A format is what a file is that is no safetensors file, and what to do about it.
type format struct{ name, cure string }

// The cures.
const (
	toConvert = "convert it"
	toUnpack  = "unpack it"
	toFetch   = "check the URL and the login, and fetch it again"
)

// magics are the first bytes of formats that are found under the name of
// safetensors files, and the names that people know them by.
var magics = []struct {
	offset int
	magic  string
	format
}{
	{0, "PK\x03\x04", format{"a zip archive, as PyTorch writes (.bin, .pt)", toConvert}},
	{0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", format{"a legacy PyTorch file (a pickle)", toConvert}},
	{0, "GGUF", format{"a GGUF file", toConvert}},
	{0, "\x93NUMPY", format{"a NumPy array (.npy)", toConvert}},
	{0, "\x89HDF\r\n\x1a\n", format{"an HDF5 file, as Keras writes (.h5)", toConvert}},
	{4, "TFL3", format{"a TensorFlow Lite model", toConvert}},
	{0, "\x1f\x8b", format{"a gzip file", toUnpack}},
	{0, "\x28\xb5\x2f\xfd", format{"a Zstandard file", toUnpack}},
	{0, "\xfd7zXZ\x00", format{"an xz file", toUnpack}},
	{0, "7z\xbc\xaf\x27\x1c", format{"a 7z archive", toUnpack}},
	{0, "Rar!\x1a\x07", format{"a RAR archive", toUnpack}},
	{0, "BZh", format{"a bzip2 file", toUnpack}},
	{257, "ustar", format{"a tar archive", toUnpack}},
	{0, "\xef\xbb\xbf", format{"a file that begins with a byte order mark, as editors write", "fetch it again, and do not edit it as text"}},
	{0, "%PDF-", format{"a PDF", toFetch}},
	{0, "\x89PNG", format{"a PNG image", toFetch}},
}

// foreign reports a file of another format. It returns nil if the file is of
// none that is known.
func foreign(r io.ReaderAt, size int64) (*Report, error) {
	head := make([]byte, min(size, sniffSize))
	if err := readFull(r, head, 0); err != nil {
		return nil, err
	}
	if f := identify(head); f.name != "" && !looksLikeHeader(head) {
		return reportOf(f.violation(len(head))), nil
	}
	return nil, nil
}

// violation returns that of a file whose first n bytes have the format f.
func (f format) violation(n int) *Violation {
	return violation(RuleNotSafetensors, "", Span{0, int64(n)}, "the file is %s, and no safetensors file: %s", f.name, f.cure)
}

// looksLikeHeader says whether head is the start of a safetensors file after
// all, though a short magic stands in its length: the length is one that a header
// can have, and an object follows.
func looksLikeHeader(head []byte) bool {
	return len(head) > lengthSize && head[lengthSize] == '{' && binary.LittleEndian.Uint64(head) <= MaxHeaderSize
}

// identify returns the format of a file that begins with head, or none.
func identify(head []byte) format {
	if ptr := lfsPointer(head); ptr != "" {
		return format{ptr, "run `git lfs pull`"}
	}
	for _, m := range magics {
		if len(head) >= m.offset && bytes.HasPrefix(head[m.offset:], []byte(m.magic)) {
			return m.format
		}
	}
	if len(head) > 2 && head[0] == 0x80 && head[1] >= 2 && head[1] <= 5 {
		return format{fmt.Sprintf("a pickle of protocol %d, which can run code when it is loaded", head[1]), toConvert}
	}
	if len(head) > lengthSize && len(bytes.Trim(head, "\x00")) == 0 {
		return format{fmt.Sprintf("%d zero bytes at least, as of a download that reserved its space and did not fill it", len(head)), "fetch it again"}
	}
	if isText(head) {
		return format{text(head), toFetch}
	}
	return format{}
}

// text names a text by what it seems to say: servers answer a request for
// weights with an error, which is then saved as if it were the weights.
func text(head []byte) string {
	lower := bytes.ToLower(bytes.TrimSpace(head))
	for _, k := range []struct{ prefix, name string }{
		{"<!doctype html", "an HTML page, as of a server's error or a login"},
		{"<html", "an HTML page, as of a server's error or a login"},
		{"<?xml", "an XML document, as of an object store's error"},
		{"{", "a JSON text"},
		{"[", "a JSON text"},
	} {
		if bytes.HasPrefix(lower, []byte(k.prefix)) {
			return fmt.Sprintf("%s (%s)", k.name, firstLine(head))
		}
	}
	return "a text that begins with " + firstLine(head)
}

// isText says whether b is printable: a prefix of a text in UTF-8.
func isText(b []byte) bool {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return len(b)-i < utf8.UTFMax && i > 0 // the last rune may be cut off
		}
		if r < 0x20 && !strings.ContainsRune("\t\n\r", r) || r == 0x7f {
			return false
		}
		i += n
	}
	return len(b) > 0
}

func firstLine(b []byte) string {
	const most = 60
	line, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	line = bytes.TrimSpace(line)
	if len(line) > most {
		return quote(strings.ToValidUTF8(string(line[:most]), "")) + "..."
	}
	return quote(string(line))
}

// lfsPointer describes a Git LFS pointer, the text that stands in a repository
// for a large file which was not fetched. See the specification of Git LFS: the
// keys are version first, and then oid and size.
func lfsPointer(head []byte) string {
	const version = "version https://git-lfs.github.com/spec/"
	if !bytes.HasPrefix(head, []byte(version)) {
		return ""
	}
	var oid, size string
	for line := range strings.Lines(string(head)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "oid":
			oid = value
		case "size":
			size = value
		}
	}
	return fmt.Sprintf("a Git LFS pointer, to %s bytes with the oid %s", plainWord(size), plainWord(oid))
}

// plainWord returns s if it is what an oid or a size is made of, and otherwise
// quotes it.
func plainWord(s string) string {
	odd := func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r == ':')
	}
	if s == "" || len(s) > 80 || strings.ContainsFunc(s, odd) {
		return quote(s)
	}
	return s
}
