package zipwalk

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
)

// torchArchive returns an archive as miniz writes it: with zip64 records in any case. Plain is the position of the
// directory in the plain end record, or -1 for the correct one; its size is then up to the record itself.
func torchArchive(plain int, files ...file) []byte {
	var b, directory []byte
	for _, f := range files {
		var h []byte
		h = append(h, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		h = binary.LittleEndian.AppendUint32(h, crc32.ChecksumIEEE([]byte(f.content)))
		h = binary.LittleEndian.AppendUint32(h, uint32(len(f.content)))
		h = binary.LittleEndian.AppendUint32(h, uint32(len(f.content)))
		h = binary.LittleEndian.AppendUint16(h, uint16(len(f.name)))
		directory = append(directory, sigCentral+"\x00\x00"...)
		directory = append(append(directory, h...), make([]byte, 12)...)
		directory = binary.LittleEndian.AppendUint32(directory, uint32(len(b)))
		directory = append(directory, f.name...)
		b = append(append(append(b, sigLocal...), h...), 0, 0)
		b = append(append(b, f.name...), f.content...)
	}
	at, size := len(b), len(directory)
	b = append(b, directory...)
	end64 := len(b)
	b = append(b, sigEnd64...)
	b = binary.LittleEndian.AppendUint64(b, end64Size-12)
	b = append(b, make([]byte, 12)...)
	for _, n := range []int{len(files), len(files), size, at} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, sigLocator+"\x00\x00\x00\x00"...)
	b = append(binary.LittleEndian.AppendUint64(b, uint64(end64)), 1, 0, 0, 0)
	if plain >= 0 {
		at, size = plain, len(b)-plain
	}
	b = append(b, sigEnd+"\x00\x00\x00\x00"...)
	for range 2 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(files)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	b = binary.LittleEndian.AppendUint32(b, uint32(at))
	return append(b, 0, 0)
}

// TestAnyName has names of each length. The records of zip64 have 76 bytes, and an entry with a name of 30 has as many.
func TestAnyName(t *testing.T) {
	for stem := 1; stem < 90; stem++ {
		for _, members := range [][]string{
			{"data.pkl", ".format_version", "byteorder", "data/0", "version", ".data/serialization_id"},
			{"data.pkl", "code/__torch__.py", "constants.pkl", "version"},
			{"version", "data.pkl", "data/0", "data/1"},
			{"data/0", "data/1", "data/2", "data.pkl"},
		} {
			var files []file
			for _, name := range members {
				files = append(files, file{strings.Repeat("s", stem) + "/" + name, "content of " + name})
			}
			a := walked(t, torchArchive(-1, files...), nil)
			if len(a.Faults) > 0 || a.Partial != "" || len(a.Members) != len(files) {
				t.Errorf("%d, %v: %v %q", stem, members, a.Faults, a.Partial)
			}
		}
	}
}

// TestOtherDirectory hides a second directory where only readers without zip64 find it.
func TestOtherDirectory(t *testing.T) {
	good, evil := file{"a/data.pkl", "good"}, file{"a/data.pkl", "evil"}
	inner := torchArchive(-1, evil)
	for _, depth := range []int{0, 10, 100} {
		files := []file{good, {"a/x", strings.Repeat(" ", depth) + string(inner)}}
		b := torchArchive(-1, files...)
		for at := range len(b) {
			if string(b[at:min(at+4, len(b))]) != sigCentral {
				continue
			}
			other := torchArchive(at, files...)
			a := walked(t, other, nil)
			if same := slices.Equal(b, other); same != (len(a.Faults) == 0) {
				t.Errorf("directory at %d: %v", at, a.Faults)
			}
			// The relative position of the plain record: its size reaches from any entry up to the record.
			binary.LittleEndian.PutUint32(other[len(other)-10:], uint32(len(other)-endSize-at))
			binary.LittleEndian.PutUint32(other[len(other)-6:], 1)
			a = walked(t, other, nil)
			if !strings.Contains(fmt.Sprint(a.Faults), string(BadEnd)) {
				t.Errorf("directory at %d by size: %v", at, a.Faults)
			}
		}
	}
}

// TestCase has names that differ only in case, which are equal for PyTorch alone.
func TestCase(t *testing.T) {
	for _, tt := range []struct {
		names []string
		twice bool
	}{
		{[]string{"w.npy", "W.npy"}, false},
		{[]string{"w.npy", "w.npy"}, true},
		{[]string{"w.npy", "w.npy\x00x"}, true},
		{[]string{"a/data.pkl", "a/Data.pkl"}, true},
		{[]string{"a/data.pkl", "a/data/0", "A/data/0"}, true},
		{[]string{"a/DATA.PKL", "a/data/0", "A/data/0"}, true},
	} {
		var files []file
		for _, name := range tt.names {
			files = append(files, file{name, "x"})
		}
		if got := strings.Contains(kinds(walked(t, stored(t, files...), nil)), string(Duplicate)); got != tt.twice {
			t.Errorf("%q: a duplicate is %v", tt.names, got)
		}
	}
}
