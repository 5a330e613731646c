// Texts that are too large to be read.

package texts

import (
	"bytes"
	"fmt"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/wording"
)

// signs occur in texts that name code.
var signs = [...]string{"!!", "!<", "%TAG", "_target_", "class_path", "__class__", "__globals__", "attr(", "auto_map",
	"trust_remote_code", "\\x", "\\u"}

// Large searches a text of more than MostText bytes for signs that it names code. A text without them is data.
func (r *Reader) Large(text io.ReaderAt, size int64) error {
	const block, overlap = 64 << 10, 64
	gap := "the text has " + wording.Count(size, "byte") + ", more than are read"
	buf := make([]byte, block)
	for at := int64(0); at < size; at += block - overlap {
		b := buf[:min(block, size-at)]
		if err := bytesio.ReadFull(text, b, at); err != nil {
			return err
		}
		if at == 0 && wide(b) {
			r.Gap(0, gap)
			return nil
		}
		if !r.Spend(block / 4) {
			r.OverWork(at)
			return nil
		}
		if sign, i := findSign(b); i >= 0 {
			r.Gap(at+int64(i), fmt.Sprintf("%s, and contains %s", gap, quoted(sign)))
			return nil
		}
	}
	return nil
}

// findSign returns the first sign in a text that may name code, and its offset, or -1.
func findSign(text []byte) (sign string, at int) {
	for _, sign := range signs {
		if i := bytes.Index(text, []byte(sign)); i >= 0 {
			return sign, i
		}
	}
	return "", -1
}
