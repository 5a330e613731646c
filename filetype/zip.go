// Zip archives: the kind follows from the names of the members.

package filetype

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// zipHead recognizes an archive by the member names in its first bytes.
func zipHead(head []byte) Type {
	const header = 30
	var names []string
	for at := 0; at+header <= len(head) && hasAt(head, at, "PK\x03\x04"); {
		h := head[at:]
		size, name, extra := binary.LittleEndian.Uint32(h[18:]), int(binary.LittleEndian.Uint16(h[26:])),
			int(binary.LittleEndian.Uint16(h[28:]))
		if header+name > len(h) {
			break
		}
		names = append(names, string(h[header:header+name]))
		streamed := h[6]&8 != 0 // the size follows the data
		if streamed || size > uint32(len(h)) {
			break
		}
		at += header + name + extra + int(size)
	}
	t := zipType(names, 0)
	if t.Kind == Zip {
		t.Detail = ""
	}
	return t
}

// zipType recognizes an archive by the names of its members. The total is 0 if it is unknown.
func zipType(names []string, total int) Type {
	var pkl, constants, weights, config bool
	arrays := len(names) > 0
	for _, name := range names {
		base := path.Base(name)
		depth := strings.Count(name, "/")
		pkl = pkl || base == "data.pkl" && depth <= 1
		constants = constants || base == "constants.pkl" && depth <= 1
		weights = weights || name == "model.weights.h5"
		config = config || name == "config.json" || name == "metadata.json"
		arrays = arrays && strings.HasSuffix(name, ".npy")
	}
	switch {
	case pkl && constants:
		return Type{Kind: TorchScript}
	case pkl:
		return Type{Kind: TorchZip}
	case arrays:
		return Type{Kind: NPZ}
	case weights && config:
		return Type{Kind: Keras}
	case total == 1:
		return Type{Zip, " with one file, " + wording.Quote(names[0])}
	case total > 1:
		return Type{Zip, fmt.Sprintf(" with %d files, beginning with %s", total, wording.Quote(names[0]))}
	}
	return Type{Kind: Zip}
}

// directory returns the number of members of an archive and the names in the first 64 KiB
// of the directory at its end. Without a directory it returns no names.
func directory(r io.ReaderAt, size int64) (names []string, total int, err error) {
	const endSize, most = 22, 64 << 10
	tail, err := section(r, max(size-most-endSize, 0), size)
	if err != nil {
		return nil, 0, err
	}
	i := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if i < 0 || len(tail)-i < endSize {
		return nil, 0, nil
	}
	end := tail[i:]
	total = int(binary.LittleEndian.Uint16(end[10:]))
	length, begin := int64(binary.LittleEndian.Uint32(end[12:])), int64(binary.LittleEndian.Uint32(end[16:]))
	if begin == 0xffffffff { // the true offset is in a record of 64 bits
		if begin, length = directory64(tail[:i]); length == 0 {
			return nil, 0, nil
		}
	}
	if begin < 0 || begin >= size {
		return nil, 0, nil
	}
	list, err := section(r, begin, min(begin+min(length, most), size))
	if err != nil {
		return nil, 0, err
	}
	return listed(list), total, nil
}

// directory64 returns the offset and length of the directory from the Zip64 record in tail.
func directory64(tail []byte) (begin, length int64) {
	const recordSize = 56
	i := bytes.LastIndex(tail, []byte("PK\x06\x06"))
	if i < 0 || len(tail)-i < recordSize {
		return 0, 0
	}
	return int64(binary.LittleEndian.Uint64(tail[i+48:])), int64(binary.LittleEndian.Uint64(tail[i+40:]))
}

// listed returns the names in a part of a directory.
func listed(list []byte) (names []string) {
	const entry = 46
	for len(list) >= entry && bytes.HasPrefix(list, []byte("PK\x01\x02")) {
		name, extra, comment := int(binary.LittleEndian.Uint16(list[28:])), int(binary.LittleEndian.Uint16(list[30:])),
			int(binary.LittleEndian.Uint16(list[32:]))
		if entry+name > len(list) {
			break
		}
		names = append(names, string(list[entry:entry+name]))
		list = list[min(entry+name+extra+comment, len(list)):]
	}
	return names
}

func section(r io.ReaderAt, begin, end int64) ([]byte, error) {
	b := make([]byte, max(end-begin, 0))
	n, err := r.ReadAt(b, begin)
	if n == len(b) || err == io.EOF {
		err = nil
	}
	return b[:n], err
}
