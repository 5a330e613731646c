// HDF5 files: attributes, and links to other files.

package scan

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// littleEndian returns numbers of the size of their types.
func littleEndian(v ...any) string {
	var b []byte
	for _, n := range v {
		b, _ = binary.Append(b, binary.LittleEndian, n)
	}
	return string(b)
}

// h5Message returns a message of an object header of version 2.
func h5Message(kind uint8, data string) string {
	return littleEndian(kind, uint16(len(data)), uint8(0)) + data
}

// h5Attribute returns an attribute that is a string of fixed length.
func h5Attribute(name, value string) string {
	kind := "\x13\x00\x00\x00" + littleEndian(uint32(len(value)))
	const scalar = "\x02\x00\x00\x00"
	return h5Message(0x0c, "\x03\x00"+littleEndian(uint16(len(name)+1), uint16(len(kind)), uint16(len(scalar)))+"\x00"+
		name+"\x00"+kind+scalar+value)
}

// h5Link returns a link of a kind with its value.
func h5Link(name string, kind uint8, value string) string {
	return h5Message(0x06, "\x01\x08"+littleEndian(kind)+littleEndian(uint8(len(name)))+name+value)
}

// h5Object returns an object header of messages, of which the last are in a continuation block.
func h5Object(at int, messages ...string) string {
	cut := len(messages) / 2
	first, rest := strings.Join(messages[:cut], ""), strings.Join(messages[cut:], "")
	const head, pointer, sum = 10, 4 + 16, "\x00\x00\x00\x00"
	next := at + head + len(first) + pointer + len(sum)
	first += h5Message(0x10, littleEndian(uint64(next), uint64(len(rest)+8)))
	return "OHDR\x02\x02" + littleEndian(uint32(len(first))) + first + sum + "OCHK" + rest + sum
}

// h5File returns a file whose root group has messages. It links to a group with inner messages.
func h5File(block int, messages, inner []string) string {
	const superblock = 48
	root := func(to int) string {
		return h5Object(superblock, append(messages[:len(messages):len(messages)], h5Link("group", 0, littleEndian(uint64(to))))...)
	}
	at := superblock + len(root(0))
	b := root(at) + h5Object(at, inner...)
	const undefined = ^uint64(0)
	return strings.Repeat("\x00", block) + hdf5Magic + "\x02\x08\x08\x00" +
		littleEndian(uint64(block), undefined, uint64(block+superblock+len(b)), uint64(superblock), uint32(0)) + b
}

func TestVariantsHDF5(t *testing.T) {
	for seed := range uint64(40) {
		s := speller{rand.New(rand.NewPCG(seed, 8))}
		var noise []string
		for range s.IntN(4) {
			noise = append(noise, h5Attribute("keras_version", "2.15.0"), h5Message(0, "\x00\x00\x00"))
		}
		lambda := s.nested(s.object("class_name", s.text("Lambda"), "config", s.object("function", `["4wEA"]`)))
		dense := s.nested(s.object("class_name", s.text("Dense"), "config", s.object("units", "3")))
		for _, tt := range []struct {
			name    string
			message string
			verdict pickle.Verdict
		}{
			{"a configuration", h5Attribute("model_config", dense), pickle.Safe},
			{"a Lambda", h5Attribute("model_config", lambda), pickle.Dangerous},
			{"a pickle of PyTables", h5Attribute("obj", evil0), pickle.Dangerous},
			{"a link to another file", h5Link("x", 64, littleEndian(uint16(18))+"\x00/etc/other.h5\x00/x\x00"), pickle.Suspicious},
			{"a link to itself", h5Link("self", 0, littleEndian(uint64(48))), pickle.Safe},
			{"a soft link", h5Link("x", 1, littleEndian(uint16(5))+"/else"), pickle.Safe},
			{"a virtual dataset", h5Message(0x08, "\x04\x03"), pickle.Suspicious},
			{"a link to no object", h5Link("x", 0, littleEndian(uint64(1<<40))), pickle.Unanalysed},
			{"an attribute in a shared heap", "\x0c\x08\x00\x0212345678", pickle.Unanalysed},
		} {
			block := []int{0, 512, 2048}[s.IntN(3)]
			with := append(noise[:len(noise):len(noise)], tt.message)
			s.Shuffle(len(with), func(i, j int) { with[i], with[j] = with[j], with[i] })
			h5 := h5File(block, with, noise)
			if s.IntN(2) == 0 {
				h5 = h5File(block, noise, with)
			}
			for name, content := range map[string][]byte{
				"m.h5":      []byte(h5),
				"m.hdf5":    []byte(h5),
				"model.bin": []byte(h5),
				"m.keras":   zipped(t, file{"config.json", `{"class_name":"Sequential","config":{}}`}, file{"metadata.json", "{}"}, file{"model.weights.h5", h5}),
				"m.tar":     tarred(t, file{"x/weights", h5}),
			} {
				if r := scanned(t, new(Scanner), content, name); r.Verdict != tt.verdict {
					t.Errorf("%s, seed %d, in %s (%s): %v, want %v: %v", tt.name, seed, name, r.Format, r.Verdict, tt.verdict, r.Findings)
				}
			}
		}
	}
}

// PyTables stores pickles between the bytes of a file. What surrounds them is no reason for a verdict.
func TestPickleWithinHDF5(t *testing.T) {
	const data = "\x80\x04\x8c\x0bcollections\x8c\x0bOrderedDict\x93)R."
	r := scanned(t, new(Scanner), []byte(hdf5Magic+strings.Repeat("\x00", 600)+data+"\x01\x02\x03N.abc"), "t.h5")
	if r.Verdict > pickle.Unanalysed && !explained(r) {
		t.Errorf("%v without a reason: %+v", r.Verdict, r)
	}
}

// Texts in datasets, as h5py 3.16 writes them: of fixed and variable length, alone and in arrays, in chunks with and
// without compression.
func TestHDF5Datasets(t *testing.T) {
	count := 0
	eachGolden(t, "hdf5-texts", func(want, name string, b []byte) {
		if count++; scanned(t, new(Scanner), b, name).Verdict.String() != want {
			t.Errorf("%s: not %s: %v", name, want, scanned(t, new(Scanner), b, name).Findings)
		}
	})
	if count < 20 {
		t.Error(count)
	}
	text := `{"_target_": "os.system"}`
	kind := h5Message(0x03, "\x13\x00\x00\x00"+littleEndian(uint32(len(text))))
	for layout, want := range map[string]pickle.Verdict{
		"\x03\x00" + littleEndian(uint16(len(text))) + text: pickle.Dangerous,
		"\x03\x01" + littleEndian(uint64(0), uint64(60)):    pickle.Safe,
		"\x03\x01" + littleEndian(uint64(0), uint64(1<<40)): pickle.Unanalysed, // behind the end
		"\x04\x02" + strings.Repeat("\x00", 40):             pickle.Unanalysed, // an index that is not read
		"\x03\x02\x02" + littleEndian(uint64(0)):            pickle.Unanalysed, // no index
		"\x03\x02\x02" + littleEndian(^uint64(0)):           pickle.Safe,       // nothing was written
	} {
		h5 := h5File(0, nil, []string{kind, h5Message(0x08, layout)})
		if r := scanned(t, new(Scanner), []byte(h5), "m.h5"); r.Verdict != want {
			t.Errorf("%q: %v, want %v: %v", layout, r.Verdict, want, r.Findings)
		}
	}
}
