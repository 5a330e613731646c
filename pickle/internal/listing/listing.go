// The format of a line.

// Package listing formats disassembled pickles as Python's pickletools does.
package listing

import (
	"fmt"
	"io"
	"strconv"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// Format formats an instruction with its argument and a remark about a MARK. indent is the number of open MARKs. The
// opcode 0 means bytes that are not an instruction, with arg as their text.
func Format(off int64, code opcode.Code, indent int, arg, mark string) string {
	if code == 0 {
		return fmt.Sprintf("%5d: %s", off, arg)
	}
	char := strconv.QuoteToASCII(string([]byte{byte(code)}))
	const deepest = 100 // levels of indentation; hostile pickles have a million
	s := fmt.Sprintf("%5d: %-4s %*s%s", off, char[1:len(char)-1], 4*min(indent, deepest), "", code)
	if arg == "" && mark == "" {
		return s
	}
	s += fmt.Sprintf("%*s", max(10-len(code.String()), 0), "")
	for _, part := range []string{arg, mark} {
		if part != "" {
			s += " " + part
		}
	}
	return s
}

// Bytes formats the first of the bytes from one offset to another, and their number if there are more.
func Bytes(r io.ReaderAt, from, to int64) string {
	const most = 16
	b := make([]byte, min(to-from, most))
	n, _ := r.ReadAt(b, from)
	text := fmt.Sprintf("% x", b[:n])
	if to-from > most {
		text += fmt.Sprintf(" ... (%s)", wording.Count(to-from, "byte"))
	}
	return text
}
