// Generated containers in every spelling that a loader reads: the heads of joblib, LZMA and gzip, the headers of NumPy
// and tar, and attributes of HDF5. The program .ci/interop/loaders.py compares more of them with the loaders.

package scan

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/npy"
)

// isJudged checks the verdicts on variants of a container, with an evil and a benign pickle in each.
func isJudged(t *testing.T, least int, variants func(content string) map[string]string, names ...string) {
	t.Helper()
	n := 0
	for what, b := range variants(evil) {
		for _, name := range names {
			n++
			if r := scanned(t, new(Scanner), []byte(b), name); r.Verdict != pickle.Dangerous {
				t.Errorf("%s as %s is %s, %v: %v", what, name, r.Format, r.Verdict, r.Findings)
			}
		}
	}
	for what, b := range variants(benign) {
		if r := scanned(t, new(Scanner), []byte(b), names[0]); r.Verdict == pickle.Dangerous {
			t.Errorf("benign: %s is %s, %v: %v", what, r.Format, r.Verdict, r.Findings)
		}
	}
	if n < least {
		t.Errorf("%d variants", n)
	}
}

// names promise what a variant is, or something else, or nothing.
var containerNames = []string{"model.joblib", "model.bin", "model", "weights.gz", "model.pkl", "data.txt", "x.npy"}

// windowed returns a zlib stream that claims a window of 2^(8+bits) bytes.
func windowed(t testing.TB, bits int, text string) string {
	b := zlibbed(t, text)
	b[0], b[1] = byte(bits<<4|8), 0
	if rest := (int(b[0])<<8 | int(b[1])) % 31; rest > 0 {
		b[1] = byte(31 - rest)
	}
	return string(b)
}

func TestVariantsZF(t *testing.T) {
	isJudged(t, 200, func(content string) map[string]string {
		list := map[string]string{}
		for _, size := range []string{"0x2e", "2e", "0X2E", "+0x2e", " 0x2e", "0x_2e", "0x2eL", "0x00", "0x2e\n", "0x10000000000000000"} {
			for bits := range 8 {
				for _, gap := range []string{"", " "} {
					list[fmt.Sprintf("%q, window %d, %q", size, bits, gap)] = fmt.Sprintf("ZF%-19s", size) + gap + windowed(t, bits, content)
				}
			}
		}
		return list
	}, containerNames...)
}

func TestVariantsLZMA(t *testing.T) {
	alone := map[string]string{
		evil: "XQAAgAD//////////wBAAIgDvDC9NN4vXibQafs2F/2HRYtVczRTlfz6cf//3UcAAA==", benign: "XQAAgAD//////////wBAAIsl0ToP///8PwAA",
	}
	isJudged(t, 200, func(content string) map[string]string {
		list := map[string]string{}
		b, err := base64.StdEncoding.DecodeString(alone[content])
		if err != nil {
			t.Fatal(err)
		}
		for n := uint32(0); n < 32; n++ {
			for _, dictionary := range []uint32{1 << n, 3 << n} {
				binary.LittleEndian.PutUint32(b[1:], dictionary)
				list[fmt.Sprintf("dictionary %d", dictionary)] = string(b)
			}
		}
		binary.LittleEndian.PutUint32(b[1:], 1<<32-1)
		list["any dictionary"] = string(b)
		binary.LittleEndian.PutUint64(b[5:], uint64(len(content)))
		list["a size"] = string(b)
		return list
	}, "model.joblib", "model.bin", "model", "model.xz", "model.pkl", "data.txt")
}

func TestVariantsGzip(t *testing.T) {
	isJudged(t, 200, func(content string) map[string]string {
		list := map[string]string{}
		for flags := range 32 {
			for _, long := range []int{0, 600, 70_000} {
				var b bytes.Buffer
				b.WriteString("\x1f\x8b\x08" + string([]byte{byte(flags)}) + "\x00\x00\x00\x00\x00\xff")
				for _, field := range []struct {
					flag int
					text string
				}{{4, "\x05\x00extra"}, {8, strings.Repeat("n", long) + "\x00"}, {16, "comment\x00"}, {2, "no"}} {
					if flags&field.flag != 0 {
						b.WriteString(field.text)
					}
				}
				w, _ := flate.NewWriter(&b, 9)
				if _, err := w.Write([]byte(content)); err != nil || w.Close() != nil {
					t.Fatal(err)
				}
				b.WriteString("bad sums")
				list[fmt.Sprintf("flags %d, a name of %d", flags, long)] = b.String()
			}
		}
		for _, zeros := range []int{0, 1, 512, 70_000} {
			half := len(content) / 2
			list[fmt.Sprintf("two files and %d zeros", zeros)] = string(gzipped(t, content[:half])) + strings.Repeat("\x00", zeros) +
				string(gzipped(t, content[half:]))
		}
		return list
	}, "model.pkl.gz", "model", "model.joblib")
}

// TestVariantsNPY has headers that NumPy takes for objects. They are never safe.
func TestVariantsNPY(t *testing.T) {
	keys := []string{`'d\x65scr'`, `"descr"`, `'des' 'cr'`, `u'descr'`, `'''descr'''`, `r'descr'`, `('descr')`, `'\144escr'`,
		"'descr\\\n'", `'d\u0065scr'`, `'\N{LATIN SMALL LETTER D}escr'`, `'descr'`}
	objects := []string{`'|O'`, `'O'`, `'\x4f'`, `'|' 'O'`, `'object'`, `'i4,O'`, `[('a', 'O')]`, `['aO']`, `[['a', '|O']]`, `u'O'`,
		`('O', (1,))`, `('O', (), 'ignored')`, `{'aO': 1}`, `[('', '|V8'), ('x', 'O')]`, `[('x', 'O', 1)]`, `[('x', ('|V0', 8)), ('y', 'O')]`,
		`'O8'`, `'=O'`, `[('x', [('y', [('z', '|O')])])]`, `'O,i4'`, `'(2,)O'`}
	n := 0
	for _, key := range keys {
		for _, object := range objects {
			for form, header := range map[string]string{
				"later":     "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), " + key + ": " + object + ", }",
				"earlier":   "{" + key + ": " + object + ", 'fortran_order': False, 'shape': (1,), }",
				"commented": "{ # 'descr': '<f8'\n" + key + ": " + object + ", 'fortran_order': False, 'shape': (1,)} # }",
			} {
				for major, size := range map[byte]string{1: "\x00\x02", 2: "\x00\x02\x00\x00", 3: "\x00\x02\x00\x00"} {
					n++
					b := npy.Magic + string([]byte{major, 0}) + size + header + strings.Repeat(" ", 511-len(header)) + "\n" + evil +
						strings.Repeat(".", 72-len(evil))
					if r := scanned(t, new(Scanner), []byte(b), "x.npy"); r.Verdict != pickle.Dangerous {
						t.Errorf("%s: %s, %v: %v", form, header, r.Verdict, r.Findings)
					}
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("%d variants", n)
	}
	for _, header := range []string{
		"{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }", "{'descr': '<M8[ns]', 'fortran_order': True, 'shape': (3, 3), }",
		`{'descr': [('it\'s', '<f4'), ('b\\\n', '<f4', (1,))], 'fortran_order': False, 'shape': (9,), }`,
		"{'descr': [(('title', 'a'), '<u4'), ('', '|V4')], 'fortran_order': False, 'shape': (9L,), }",
	} {
		b := npy.Magic + "\x01\x00\x00\x02" + header + strings.Repeat(" ", 511-len(header)) + "\n" + strings.Repeat("\x00", 72)
		if r := scanned(t, new(Scanner), []byte(b), "x.npy"); r.Verdict != pickle.Safe {
			t.Errorf("%s: %v: %v", header, r.Verdict, r.Findings)
		}
	}
}

func TestVariantsTar(t *testing.T) {
	spellings := map[string]func(n int64, width int) string{
		"digits":       func(n int64, width int) string { return fmt.Sprintf("%0*o\x00", width-1, n) },
		"spaces":       func(n int64, width int) string { return fmt.Sprintf("%*o", width, n) },
		"a NUL":        func(n int64, width int) string { return fmt.Sprintf("%o\x00x0", n) },
		"0o":           func(n int64, width int) string { return fmt.Sprintf("0o%o", n) },
		"0O_":          func(n int64, width int) string { return fmt.Sprintf("0O_%o", n) },
		"a sign":       func(n int64, width int) string { return fmt.Sprintf("+%o ", n) },
		"white space":  func(n int64, width int) string { return fmt.Sprintf("\t%o\x1f", n) },
		"an underline": func(n int64, width int) string { return fmt.Sprintf("0_%o", n) },
		"base 256": func(n int64, width int) string {
			return "\x80" + string(binary.BigEndian.AppendUint64(make([]byte, width-9, width), uint64(n)))
		},
	}
	isJudged(t, 200, func(content string) map[string]string {
		list := map[string]string{}
		for size, spell := range spellings {
			for sum, spellSum := range spellings {
				if sum == "base 256" {
					continue // Go's field is too short for the helper
				}
				for _, kind := range []string{"0", "\x00", "7", "Z"} {
					b := tarred(t, file{"storages", "\x80\x02K\x00.\x80\x02]."}, file{"tensors", "\x80\x02K\x00."}, file{"pickle", content})
					for i, member := range []string{"\x80\x02K\x00.\x80\x02].", "\x80\x02K\x00.", content} {
						h := b[1024*i : 1024*i+512]
						copy(h[124:136], make([]byte, 12))
						copy(h[124:136], spell(int64(len(member)), 12))
						copy(h[156:], kind)
						n := headerSum(h)
						copy(h[148:156], make([]byte, 8))
						copy(h[148:156], spellSum(n, 8))
					}
					list[fmt.Sprintf("size as %s, sum as %s, type %q", size, sum, kind)] = string(b)
				}
			}
		}
		return list
	}, "model.pt")
}

// TestVariantsSearch has attributes of HDF5, which PyTables unpickles, that begin with any string instruction.
func TestVariantsSearch(t *testing.T) {
	texts := map[string]func(s string) string{
		"SHORT_BINUNICODE": func(s string) string { return "\x8c" + string([]byte{byte(len(s))}) + s },
		"BINUNICODE":       func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s },
		"BINUNICODE8":      func(s string) string { return "\x8d" + string([]byte{byte(len(s)), 0, 0, 0, 0, 0, 0, 0}) + s },
		"UNICODE":          func(s string) string { return "V" + s + "\n" },
		"UNICODE, escaped": func(s string) string { return "V\\u00" + fmt.Sprintf("%02x", s[0]) + s[1:] + "\n" },
		"all escaped": func(s string) string {
			v := "V"
			for _, c := range []byte(s) {
				v += fmt.Sprintf("\\U%08x", c)
			}
			return v + "\n"
		},
		"STRING":          func(s string) string { return "S'" + s + "'\n" },
		"STRING, escaped": func(s string) string { return fmt.Sprintf("S\"\\x%02x%s\"\n", s[0], s[1:]) },
		"SHORT_BINSTRING": func(s string) string { return "U" + string([]byte{byte(len(s))}) + s },
		"BINSTRING":       func(s string) string { return "T" + string([]byte{byte(len(s)), 0, 0, 0}) + s },
	}
	n := 0
	for one, module := range texts {
		for other, name := range texts {
			for _, between := range []string{"", "\x94", "N0", "q\x01"} {
				for _, before := range []string{"", "(", "]", "K\x01"} {
					n++
					code := before + module("os") + between + name("system") + "\x93" + texts["BINUNICODE"]("true") + "\x85R."
					b := slices.Concat([]byte(hdf5Magic), make([]byte, 600), []byte("FLAVOR\x00\x00"+code), make([]byte, 500))
					if r := scanned(t, new(Scanner), b, "x.h5"); r.Verdict != pickle.Dangerous {
						t.Errorf("%s and %s, %q between and %q before: %v: %v", one, other, between, before, r.Verdict, r.Findings)
					}
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("%d variants", n)
	}
}
