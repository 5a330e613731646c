// Hand-written frames.

package lz4

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// Frame headers: the magic, version 1 with independent blocks (0x60) and the features in the name, blocks of 64 KiB
// (4), and a header checksum, which is not verified.
const (
	plain    = Magic + "\x60\x40\x00"
	withAll  = Magic + "\x7d\x40" + "SIZESIZE" + "DICT" + "\x00" // block checksums, content checksum, size, dictionary ID
	linked   = Magic + "\x40\x40\x00"
	endOfAll = "\x00\x00\x00\x00"
)

func unpacked(packed string) (string, error) {
	r, err := NewReader(strings.NewReader(packed))
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(r)
	return string(b), err
}

func TestFrames(t *testing.T) {
	long := strings.Repeat("x", 15+255+7)
	for _, tt := range []struct{ name, packed, want string }{
		{"nothing", plain + endOfAll, ""},
		{"not packed", plain + "\x03\x00\x00\x80abc" + endOfAll, "abc"},
		{"literals", plain + "\x04\x00\x00\x00\x30abc" + endOfAll, "abc"},
		// Token 0x34: three literals, then a match of 4+4 bytes at distance 3. The last sequence has one literal.
		{"a match that overlaps itself", plain + "\x08\x00\x00\x00\x34abc\x03\x00\x10!" + endOfAll, "abc" + "abcabcab" + "!"},
		{"many literals", plain + "\x18\x01\x00\x00\xf0\xff\x07" + long + endOfAll, long},
		// One literal and a match of 15+255+5+4 bytes at distance 1.
		{"a long match", plain + "\x08\x00\x00\x00\x1fx\x01\x00\xff\x05\x10y" + endOfAll, strings.Repeat("x", 1+15+255+5+4) +
			"y"},
		{"a match with the block before", linked + "\x03\x00\x00\x80abc" + "\x05\x00\x00\x00\x00\x03\x00\x10d" + endOfAll,
			"abc" + "abca" + "d"},
		{"sums, size and dictionary", withAll + "\x03\x00\x00\x80abc" + "SUM1" + endOfAll + "SUM2", "abc"},
		{"two frames", plain + "\x01\x00\x00\x80a" + endOfAll + plain + "\x01\x00\x00\x80b" + endOfAll, "ab"},
		{"a frame to skip", plain + "\x01\x00\x00\x80a" + endOfAll + "\x5f\x2a\x4d\x18\x02\x00\x00\x00??" + plain + endOfAll,
			"a"},
	} {
		got, err := unpacked(tt.packed)
		if err != nil || got != tt.want {
			t.Errorf("%s: %.40q, %v, want %.40q", tt.name, got, err, tt.want)
		}
		for n := range len(tt.packed) {
			got, err := unpacked(tt.packed[:n])
			whole := strings.HasSuffix(tt.packed[:n], endOfAll) || strings.HasSuffix(tt.packed[:n], "??")
			if err == nil && !whole || !strings.HasPrefix(tt.want, got) {
				t.Errorf("%s, cut off after %d bytes: %.40q, %v", tt.name, n, got, err)
			}
		}
	}
}

func TestDamaged(t *testing.T) {
	for name, packed := range map[string]string{
		"no magic":                       "PK\x03\x04 and more",
		"another version":                Magic + "\x20\x40\x00" + endOfAll,
		"blocks too small":               Magic + "\x60\x30\x00" + endOfAll,
		"a block larger than blocks are": plain + "\x01\x00\x01\x00",
		"a match at distance 0":          plain + "\x08\x00\x00\x00\x34abc\x00\x00\x10!" + endOfAll,
		"a match before the start":       plain + "\x08\x00\x00\x00\x34abc\x04\x00\x10!" + endOfAll,
		"more literals than there are":   plain + "\x04\x00\x00\x00\x70abc" + endOfAll,
		"a number that does not end":     plain + "\x03\x00\x00\x00\xf0\xff\xff" + endOfAll,
		"half a distance":                plain + "\x05\x00\x00\x00\x34abc\x03" + endOfAll,
		"something else after the frame": plain + endOfAll + "and more of it",
		"a block that unpacks to too much": plain + "\x08\x02\x00\x00\x1fx\x01\x00" + strings.Repeat("\xff", 514) +
			"\x00\x00" + endOfAll,
	} {
		if got, err := unpacked(packed); err == nil {
			t.Errorf("%s: %d bytes, and no error", name, len(got))
		}
	}
	if _, err := unpacked(plain + "\x00\x00"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("half a size: %v", err)
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte(plain + "\x08\x00\x00\x00\x34abc\x03\x00\x10!" + endOfAll))
	f.Add([]byte(linked + "\x03\x00\x00\x80abc" + "\x05\x00\x00\x00\x00\x03\x00\x10d" + endOfAll))
	f.Add([]byte(withAll + "\x03\x00\x00\x80abc" + "SUM1" + endOfAll + "SUM2"))
	f.Fuzz(func(t *testing.T, packed []byte) {
		r, err := NewReader(bytes.NewReader(packed))
		if err != nil {
			return
		}
		const most = 1 << 20
		if n, _ := io.Copy(io.Discard, io.LimitReader(r, most)); n > most {
			t.Errorf("%d bytes", n)
		}
	})
}
