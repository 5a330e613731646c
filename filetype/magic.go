// Magic numbers: formats that a few bytes at a fixed place tell.

package filetype

import (
	"bytes"
	"encoding/binary"
)

// A magic is a run of bytes at an offset. The test, if there is one, has to agree.
type magic struct {
	offset int
	bytes  string
	kind   Kind
	test   func(head []byte) bool
}

func (m *magic) matches(head []byte) bool {
	return len(head) >= m.offset && bytes.HasPrefix(head[m.offset:], []byte(m.bytes)) && (m.test == nil || m.test(head))
}

const hdf5 = "\x89HDF\r\n\x1a\n"

// magics are ordered: of two that match, the first counts.
var magics = [...]magic{
	{0, "PK\x03\x04", Zip, nil},
	{0, "PK\x05\x06", EmptyZip, nil},
	{0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", TorchLegacy, nil},
	{0, "PYTORCH1", TorchPreview, nil},
	{0, "GGUF", GGUF, nil},
	{0, "lmgg", GGML, nil}, {0, "fmgg", GGML, nil}, {0, "tjgg", GGML, nil}, {0, "algg", GGML, nil},
	{0, "\x93NUMPY", NPY, nil},
	{0, hdf5, HDF5, nil}, {512, hdf5, HDF5, nil},
	{4, "TFL3", TFLite, nil},
	{4, "ET12", ExecuTorch, nil},
	{0, "PAR1", Parquet, nil},
	{0, "ARROW1\x00\x00", Arrow, nil},
	{0, "SQLite format 3\x00", SQLite, nil},

	{0, "\x1f\x8b", Gzip, nil},
	{0, "BZh", Bzip2, isBzip2},
	{0, "\xfd7zXZ\x00", XZ, nil},
	{0, "\x04\x22\x4d\x18", LZ4, nil},
	{0, "\x02\x21\x4c\x18", LZ4, nil}, // the legacy frame
	{0, "\x28\xb5\x2f\xfd", Zstandard, nil},
	{1, "\x2a\x4d\x18", Skippable, func(head []byte) bool { return head[0]&0xf0 == 0x50 }},
	{0, "\x1f\x9d", Compress, nil},
	{0, "LZIP\x01", Lzip, nil},
	{0, "\x89LZO\x00\r\n\x1a\n", Lzop, nil},
	{0, "\xff\x06\x00\x00sNaPpY", Snappy, nil},
	{0, "7z\xbc\xaf\x27\x1c", SevenZip, nil},
	{0, "Rar!\x1a\x07", RAR, nil},
	{0, "MSCF\x00\x00\x00\x00", Cabinet, nil},
	{0, "xar!\x00\x1c", XAR, nil},
	{0, "hsqs", SquashFS, nil},
	{0, "-----BEGIN PGP MESSAGE-----", PGP, nil},
	{0, "age-encryption.org/v1\n", Age, nil},
	{257, "ustar", Tar, nil},

	{0, "%PDF-", PDF, nil},
	{0, "\x89PNG\r\n\x1a\n", PNG, nil},
	{0, "\xff\xd8\xff", JPEG, nil},
	{0, "GIF87a", GIF, nil}, {0, "GIF89a", GIF, nil},
	{0, "RIFF", WebP, func(head []byte) bool { return hasAt(head, 8, "WEBP") }},
	{0, "II*\x00", TIFF, nil}, {0, "MM\x00*", TIFF, nil},
	{0, "BM", BMP, func(head []byte) bool {
		return hasAt(head, 6, "\x00\x00\x00\x00") && hasAt(head, 15,
			"\x00\x00\x00")
	}},
	{4, "ftyp", MP4, func(head []byte) bool { return head[0] == 0 && head[1] == 0 }},
	{0, "\x7fELF", ELF, nil},
	{0, "MZqFpD", Llamafile, nil},
	{0, "MZ", PE, isPE},
	{0, "\xcf\xfa\xed\xfe", MachO, nil}, {0, "\xce\xfa\xed\xfe", MachO, nil},
	{0, "\xca\xfe\xba\xbe", MachO, func(head []byte) bool {
		return len(head) > 8 &&
			binary.BigEndian.Uint32(head[4:]) < 40
	}},
	{0, "\x00asm", WebAssembly, nil},
	{0, "\xac\xed\x00\x05", JavaObjects, nil},
	{0, "\x00\x05\x16\x07\x00", AppleDouble, nil}, {0, "\x00\x05\x16\x00\x00", AppleDouble, nil},
	{0, "\x00\x00\x00\x01Bud1", DSStore, nil},
	{0, "\xff\xfe", UTF16, isUTF16}, {0, "\xfe\xff", UTF16, isUTF16},
}

// isBzip2 requires the size of the blocks, a digit, and the magic of a block or of the end.
func isBzip2(head []byte) bool {
	const block, end = "1AY&SY", "\x17\x72\x45\x38\x50\x90"
	return len(head) > 3 && head[3] >= '1' && head[3] <= '9' && (hasAt(head, 4, block) || hasAt(head, 4, end))
}

// isPE requires the usual bytes of the stub for DOS, or the signature to which a program
// for Windows points.
func isPE(head []byte) bool {
	if hasAt(head, 2, "\x90\x00") {
		return true
	}
	return len(head) >= 64 && hasAt(head, int(min(binary.LittleEndian.Uint32(head[60:]), HeadSize)), "PE\x00\x00")
}

// isUTF16 requires that every other byte be zero in the first characters, as in Latin text.
func isUTF16(head []byte) bool {
	odd := 1
	if head[0] == 0xfe {
		odd = 0
	}
	n := 0
	for i := 2 + odd; i < min(len(head), 40); i += 2 {
		if head[i] != 0 {
			return false
		}
		n++
	}
	return n >= 2
}

// tarHead recognizes a checkpoint of PyTorch 0.1 by the name of its first member.
func tarHead(head []byte) Type {
	name, _, _ := bytes.Cut(head[:min(len(head), 100)], []byte{0})
	switch string(bytes.TrimPrefix(name, []byte("./"))) {
	case "sys_info", "pickle", "tensors", "storages":
		return Type{Kind: TorchTar}
	}
	return Type{Kind: Tar}
}
