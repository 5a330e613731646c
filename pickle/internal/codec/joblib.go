// The compressed files of joblib before 0.10.

package codec

import (
	"compress/zlib"
	"io"
)

// zfileSize is the size of the header in front of the zlib data: "ZF", and the uncompressed size in hexadecimal digits,
// padded with spaces to 19 characters. Python 2 wrote 20 characters; joblib skips a space after the header (joblib's
// numpy_pickle_compat.py, read_zfile). It reads the size with Python's int, which accepts much, and never compares it
// before all data is decompressed.
const zfileSize = 2 + 19

// isZFile detects the header by the zlib data after it, which may have a window of any size.
func isZFile(head []byte) bool {
	if len(head) <= zfileSize || string(head[:2]) != "ZF" {
		return false
	}
	data := head[zfileSize:]
	if data[0] == ' ' {
		data = data[1:]
	}
	return isWindow(data)
}

func openZFile(in *Source) (io.Reader, error) {
	if _, err := io.CopyN(io.Discard, in, zfileSize); err != nil {
		return nil, err
	}
	if b, _ := in.in.Peek(1); string(b) == " " {
		if _, err := in.ReadByte(); err != nil {
			return nil, err
		}
	}
	return zlib.NewReader(in)
}
