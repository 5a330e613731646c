// Files that are a pickle and something else: generated, for each format that a pickle can begin
// like.

package scan

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// heads are beginnings of files of other formats that unpicklers read as plain values. Each is
// followed by the rest of the pickle.
var heads = map[string]func(rest string) string{
	"gguf":        func(rest string) string { return "GGUF\x03\x00\x00\x00\x00" + rest }, // BINFLOAT
	"gif87a":      func(rest string) string { return "GIF87a\x01\x00\x01" + rest },
	"gif89a":      func(rest string) string { return "GIF89a\x10\x00\x10" + rest },
	"tflite":      func(rest string) string { return "\x8c\x1c\x00\x00TFL3" + strings.Repeat("\x00", 22) + rest },
	"tflite-2":    func(rest string) string { return "J\x00\x00\x00T(K\x03" + rest }, // nearly
	"tflite-3":    func(rest string) string { return "C\x08\x00\x00TFL3\x00\x00" + rest },
	"executorch":  func(rest string) string { return "U\x10\x00\x00ET12" + strings.Repeat("\x00", 10) + rest },
	"bmp":         func(rest string) string { return "BM\x00\x00\x00" + strings.Repeat("\x00", 0x4d) + rest }, // BINBYTES
	"program":     func(rest string) string { return "MZ\x90(\x00"[:3] + "N" + rest },                         // BININT2, nearly
	"msgpack":     func(rest string) string { return "\x8a\xa1weights\x81" + strings.Repeat("\x00", 0xa1-8) + rest },
	"protobuf":    func(rest string) string { return "B\x05\x00\x00\x00\x0a\x00\x10\x11\x00" + rest },
	"safetensors": lateSafetensors,
	"metadata":    metadataSafetensors,
	"hdf5-512":    func(rest string) string { return userBlock(512, rest) },
	"hdf5-2048":   func(rest string) string { return userBlock(2048, rest) },
	"hdf5-4096":   func(rest string) string { return userBlock(4096, rest) },
	"tar":         tarNamed,
	"zip":         func(rest string) string { return rest + emptyZip },
	"text":        func(rest string) string { return "I1\nI2\nI3\n" + rest },
	"nothing":     func(rest string) string { return rest },
	"numbers":     func(rest string) string { return "G\x00\x00\x00\x00\x00\x00\xf0\x3fN\x88\x89" + rest },
}

// emptyZip is a zip archive without members.
const emptyZip = "PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// lateSafetensors returns a valid safetensors file whose header is the argument of UNICODE, a line;
// the rest is in the data.
func lateSafetensors(rest string) string {
	header := fmt.Sprintf(`{"t":{"dtype":"U8","shape":[%[1]d],"data_offsets":[0,%[1]d]}}`, len(rest))
	n := 'V'
	for int(n) < len(header)+1 {
		n += 256
	}
	header += strings.Repeat(" ", int(n)-len(header)-1) + "\n"
	return string(binary.LittleEndian.AppendUint64(nil, uint64(n))) + header + rest
}

// metadataSafetensors returns a valid safetensors file without tensors and with metadata, whose
// header is the argument of a persistent ID.
func metadataSafetensors(rest string) string {
	header := fmt.Sprintf(`{"__metadata__":{"format":"pt"},"t":{"dtype":"I8","shape":[%[1]d],"data_offsets":[0,%[1]d]}}`, len(rest))
	n := 'V'
	for int(n) < len(header)+1 {
		n += 256
	}
	return string(binary.LittleEndian.AppendUint64(nil, uint64(n))) + "{" + strings.Repeat(" ", int(n)-len(header)-1) + header[1:] + "\n" + rest
}

// userBlock returns an HDF5 file with a pickle in the n bytes before it.
func userBlock(n int, rest string) string {
	return rest + strings.Repeat("\x00", max(n-len(rest), 0)) + hdf5Magic + strings.Repeat("\x00", 88)
}

// tarNamed returns a tar archive whose first member has the pickle as its name.
func tarNamed(rest string) string {
	b := make([]byte, 2048)
	copy(b, rest)
	copy(b[100:], "0000644\x000000000\x000000000\x0000000000000\x0000000000000\x00        0")
	copy(b[257:], "ustar\x0000")
	summed(b)
	return string(b)
}

// payloads are pickles that run a program, in the ways in which a pickle can call. They are short
// enough for the name of a member of a tar archive.
var payloads = map[string]string{
	"GLOBAL":       "cos\nsystem\n(S'true'\ntR.",
	"posix":        "cposix\nsystem\nU\x04true\x85R.",
	"STACK_GLOBAL": "\x8c\x02os\x8c\x06system\x93\x8c\x04true\x85R.",
	"PROTO":        "\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x01" + "1\x85R.",
	"memo":         "\x8c\x02os\x94\x8c\x06system\x940h\x00h\x01\x93\x8c\x04true\x85R.",
	"INST":         "(S'true'\nios\nsystem\n.",
	"OBJ":          "(csubprocess\nPopen\nU\x04trueo.",
	"NEWOBJ":       "csubprocess\nPopen\nU\x04true\x85\x81.",
	"BUILD":        "(lcbuiltins\nexec\n(U\x04passtRb.",
	"twice":        "N.\x80\x02cos\nsystem\nU\x04true\x85R.",
	"popped":       "cos\nsystem\nU\x04true\x85R0N.",
	"broken":       "cos\nsystem\nU\x04true\x85R\xff",
}

// wraps are the places where a file may be.
var wraps = map[string]func(t testing.TB, name, content string) []byte{
	"alone":      func(_ testing.TB, _, content string) []byte { return []byte(content) },
	"zip":        func(t testing.TB, name, content string) []byte { return zipped(t, file{"x/" + name, content}) },
	"deflated":   func(t testing.TB, name, content string) []byte { return deflated(t, file{name, content}) },
	"tar":        func(t testing.TB, name, content string) []byte { return tarred(t, file{name, content}) },
	"gzip":       func(t testing.TB, _, content string) []byte { return gzipped(t, content) },
	"zlib":       func(t testing.TB, _, content string) []byte { return zlibbed(t, content) },
	"checkpoint": func(t testing.TB, name, content string) []byte { return checkpoint(t, file{"m/" + name, content}) },
	"data.pkl":   func(t testing.TB, _, content string) []byte { return zipped(t, file{"m/data.pkl", content}) },
	"twice": func(t testing.TB, name, content string) []byte {
		return zipped(t, file{"a.zip", string(deflated(t, file{name, content}))})
	},
	"storage": func(t testing.TB, name, content string) []byte {
		return zipped(t, file{"m/data.pkl", tensorPickle("ByteStorage", name, byte(len(content)))}, file{"m/data/" + name, content})
	},
}

var variantNames = []string{"model.bin", "model.pt", "x.gguf", "data.pkl", "picture.gif", "README.md", "noextension", "a.h5",
	"model.safetensors", "config.json", "x.tflite", "weights.npz", "a.tar", "0", "model.onnx", "tokenizer.model", "x.joblib"}

// sorted returns the keys of a map in order, so that each run tests the same variants.
func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// Every polyglot is dangerous, wherever it is and whatever it is called.
func TestVariantsPolyglot(t *testing.T) {
	n := 0
	for _, head := range sorted(heads) {
		build := heads[head]
		for _, how := range sorted(payloads) {
			payload := payloads[how]
			for _, wrap := range sorted(wraps) {
				in := wraps[wrap]
				n++
				name := variantNames[n%len(variantNames)]
				b := in(t, name, build(payload))
				r := scanned(t, new(Scanner), b, name)
				want := pickle.Dangerous
				if wrap == "storage" && name == "0" {
					want = pickle.Suspicious // no loader unpickles data/0
				}
				if r.Verdict < want || r.Evidence < want {
					t.Errorf("%s, %s in %s as %s is %s, %v (%s)", head, how, wrap, name, r.Format, r.Verdict, rules(r))
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("%d variants", n)
	}
}

// Files of the same forms without a payload are not dangerous.
func TestVariantsHarmless(t *testing.T) {
	n := 0
	for _, head := range sorted(heads) {
		build := heads[head]
		for _, rest := range []string{"", "N.", "}.", "\x80\x04]\x94.", "cos\n", "(S'os'\nS'system'\nt.", "\x00\x01\x02", "(lp0\nI1\na.",
			"ccollections\nOrderedDict\n)R.", "os.system('true')", "I1\nI2\n"} {
			for _, wrap := range sorted(wraps) {
				in := wraps[wrap]
				n++
				name := variantNames[n%len(variantNames)]
				if wrap == "tar" && name[0] == 'c' {
					name = "0" // GLOBAL would import what the first lines say, whatever it is
				}
				b := in(t, name, build(rest))
				if r := scanned(t, new(Scanner), b, name); r.Verdict == pickle.Dangerous {
					t.Errorf("%s, %q in %s as %s is %s, %v (%s)", head, rest, wrap, name, r.Format, r.Verdict, rules(r))
				}
			}
		}
	}
}

// What a loader unpickles by its name is a pickle or suspicious, whatever it is instead.
func TestVariantsByName(t *testing.T) {
	for _, name := range []string{"m/data.pkl", "m/DATA.PKL", "m/constants.pkl", "m/traced_inputs.pkl", "m/code/a.pkl", "m/model/model.pkl"} {
		for what, content := range map[string]string{
			"text": "a text\n", "JSON": "{}", "YAML": "a: 1\n", "a picture": drawn(t, "png"), "GGUF": "GGUF\x03\x00\x00\x00" + strings.Repeat("\x00", 16),
			"numbers": "\x00\x01\x02\x03\xff\xfe\xfd", "HDF5": hdf5Magic + strings.Repeat("\x00", 88), "tar": string(tarred(t, file{"a", "b"})),
			"zip": string(zipped(t, file{"a", "b"})), "gzip": string(gzipped(t, "a text")), "an array": npyArray("'<f4'", "(1,)") + "1234",
			"safetensors": string(safetensorsFile(t, nil)), "a program": "\x7fELF\x02\x01\x01\x00", "a page": "<!DOCTYPE html><html>",
			"a pointer": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "source": "import os\n", "zeros": strings.Repeat("\x00", 64),
		} {
			files := []file{{name, content}}
			if name != "m/data.pkl" && name != "m/DATA.PKL" {
				files = append(files, file{"m/data.pkl", benign})
			}
			r := scanned(t, new(Scanner), zipped(t, files...), "model.pt")
			if r.Verdict != pickle.Suspicious {
				t.Errorf("%s with %s is %v (%s)", name, what, r.Verdict, rules(r))
			}
		}
	}
}
