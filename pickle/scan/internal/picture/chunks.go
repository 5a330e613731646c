// Formats that consist of chunks: PNG (ISO/IEC 15948, clause 5) and WebP (RFC 9649, section 2).

package picture

import "encoding/binary"

// png goes to the end of the chunk IEND. The first chunk is IHDR, and one is IDAT.
func (w *walk) png() error {
	const signature, head, sum = 8, 8, 4 // bytes
	if err := w.skip(signature, "PNG signature"); err != nil {
		return err
	}
	for first, data := true, false; ; first = false {
		b, err := w.next(head, "chunk IEND")
		if err != nil {
			return err
		}
		size, kind := int64(binary.BigEndian.Uint32(b)), string(b[4:])
		switch {
		case !letters(kind):
			return w.missing("valid chunk after the last one")
		case first && (kind != "IHDR" || size != 13):
			return w.missing("chunk IHDR")
		case kind == "IEND" && (!data || size != 0):
			return w.missing("chunk IDAT")
		}
		data = data || kind == "IDAT"
		if err := w.skip(size+sum, "rest of the chunk "+kind); err != nil || kind == "IEND" {
			return err
		}
	}
}

// letters reports whether all bytes of a chunk's name are letters.
func letters(name string) bool {
	for i := range len(name) {
		if c := name[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// webp goes to the end of the file that its header declares. The chunks must fill it.
func (w *walk) webp() error {
	const head, form = 8, 4 // bytes
	b, err := w.next(head+form, "header of a WebP file")
	if err != nil {
		return err
	}
	end := head + int64(binary.LittleEndian.Uint32(b[4:]))
	picture := false
	for w.off < end {
		b, err := w.next(head, "rest of the file")
		if err != nil {
			return err
		}
		size, kind := int64(binary.LittleEndian.Uint32(b[4:])), string(b[:4])
		picture = picture || kind == "VP8 " || kind == "VP8L" || kind == "ANMF"
		if err := w.skip(size+size&1, "rest of a chunk"); err != nil {
			return err
		}
	}
	if w.off != end || !picture {
		return w.missing("picture in it")
	}
	return nil
}
