// The header's text, in a separate buffer.

package header

import (
	"bytes"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
)

// ReadText reads the n bytes of the header of the file behind r, and adds Slack
// zeros. They are copied even from a mapped file, which could change while they
// are parsed.
//
// It uses room if that is large enough.
func ReadText(r io.ReaderAt, n int64, room []byte) ([]byte, error) {
	text := room[:cap(room)]
	if size := int(n) + Slack; len(text) >= size {
		text = text[:size]
	} else {
		text = bytesio.Uncleared(size)
	}
	clear(text[n:])
	return text, bytesio.ReadFull(r, text[:n], LengthSize)
}

// ReadAll reads n bytes from r and adds Slack zeros. It returns how many bytes it
// got. It allocates memory as bytes arrive, since n may be a false claim.
func ReadAll(r io.Reader, n int64) (text []byte, got int64, err error) {
	const start = 1 << 20
	if n <= start {
		text = make([]byte, n+Slack)
		k, err := io.ReadFull(r, text[:n])
		return text, int64(k), err
	}
	var buf bytes.Buffer
	got, err = io.CopyN(&buf, r, n)
	buf.Write(make([]byte, Slack))
	return buf.Bytes(), got, err
}
