// An assembler: checkpoints put together by hand.

package torch

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"strings"
	"testing"
)

// Functions that give the instructions which put one value on the stack. A pickle is
// proto and one of them and ".".

const proto = "\x80\x02"

func glob(module, name string) string { return "c" + module + "\n" + name + "\n" }

// str is BINUNICODE.
func str(s string) string { return "X" + le32(len(s)) + s }

// num is BININT, or LONG1 for what has more than 31 bits.
func num(n int64) string {
	if n == int64(int32(n)) {
		return "J" + le32(int(n))
	}
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func le32(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }

func list(items ...string) string { return "](" + strings.Join(items, "") + "e" }

// dict is a dict of keys and values in turn.
func dict(items ...string) string { return "}(" + strings.Join(items, "") + "u" }

func call(callee string, args ...string) string { return callee + tuple(args...) + "R" }

// newObject is an object of a class with the given state.
func newObject(class, state string) string { return class + ")\x81" + state + "b" }

func ints64(list ...int64) string {
	var items []string
	for _, n := range list {
		items = append(items, num(n))
	}
	return tuple(items...)
}

// stored is the persistent object that is a storage.
func stored(class, key string, elements int64) string {
	return tuple(str("storage"), glob("torch", class), str(key), str("cpu"), num(elements)) + "Q"
}

const hooks = "ccollections\nOrderedDict\n)R"

// tensorOf is a tensor of a storage.
func tensorOf(storage string, offset int64, shape, stride []int64) string {
	return call(glob("torch._utils", "_rebuild_tensor_v2"), storage, num(offset), ints64(shape...), ints64(stride...), "\x89", hooks)
}

// vector is a tensor of n elements of the float storage of that key, all of it.
func vector(key string, n int64) string {
	return tensorOf(stored("FloatStorage", key, n), 0, []int64{n}, []int64{1})
}

// A member is a file in an archive.
type member struct{ name, content string }

// archiveOf is the archive that PyTorch would write of a value and storages, by their
// keys in turn with their bytes.
func archiveOf(t testing.TB, value string, storages ...string) []byte {
	members := []member{{"m/data.pkl", proto + value + "."}}
	for i := 0; i < len(storages); i += 2 {
		members = append(members, member{"m/data/" + storages[i], storages[i+1]})
	}
	return zipOf(t, zip.Store, append(members, member{"m/version", "3\n"})...)
}

// zipOf is a zip archive.
func zipOf(t testing.TB, method uint16, members ...member) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: method, CRC32: crc32.ChecksumIEEE([]byte(m.content)), UncompressedSize64: uint64(len(m.content))}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(m.content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// streamOf is the stream that PyTorch would have written before version 1.6. Storages are
// given as keys and bytes in turn, of float32.
func streamOf(value string, storages ...string) []byte {
	var keys []string
	data := ""
	for i := 0; i < len(storages); i += 2 {
		keys = append(keys, str(storages[i]))
		data += string(binary.LittleEndian.AppendUint64(nil, uint64(len(storages[i+1])/4))) + storages[i+1]
	}
	magic := "\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
	info := dict(str("protocol_version"), num(1001), str("little_endian"), "\x88")
	return []byte(proto + magic + proto + "M\xe9\x03." + proto + info + "." + proto + value + "." + proto + list(keys...) + "." + data)
}

// floats are the bytes of float32s.
func floats(list ...float32) string {
	var b []byte
	for _, f := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
	}
	return string(b)
}

// counting are the float32s 0, 1, …, n-1.
func counting(n int) string {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i)
	}
	return floats(list...)
}

// openBytes opens a checkpoint that has to be one.
func openBytes(t *testing.T, b []byte, o *Options) *Checkpoint {
	t.Helper()
	cp, err := Open(bytes.NewReader(b), int64(len(b)), o)
	if err != nil {
		t.Fatal(err)
	}
	return cp
}
