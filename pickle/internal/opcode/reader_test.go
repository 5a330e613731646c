// The result of decoding does not depend on the size of the window.

package opcode

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzOps decodes instructions with a window of the size of the data and with a small one.
func FuzzOps(f *testing.F) {
	for _, s := range []string{
		"", ".", "\x80\x02cos\nsystem\n\x8c\x02ls\x85R.",
		"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x8c\x06system\x93)R.",
		"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x08...AAAAAAAAcos\nsystem\n\x8c\x02ls\x85R.",
		"(S'ls'\nios\nsystem\n.", "\xff\xff.", "I0x10\n0L1_0L\n0F1e5\n0V\\u20ac\n.",
		"\x80\x04]\x94(K\x01h\x00e}\x94(K\x01K\x02u\x8f(K\x01\x90(K\x02\x91.",
		"\x80\x02V" + strings.Repeat("a", 6000) + "\nc" + strings.Repeat("b", 5000) + "\n" + strings.Repeat("c", 7000) +
			"\n.",
		"\x80\x02B\x28\x23\x00\x00" + strings.Repeat("N", 9000) + "N.",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, losing := range []bool{false, true} {
			wide, narrow := NewReader(bytes.NewReader(b), int64(len(b))), NewReader(bytes.NewReader(b), int64(len(b)))
			narrow.buf = make([]byte, 0, MaxText)
			wide.losing, narrow.losing = losing, losing
			for {
				var x, y Token
				p, q := wide.Next(&x), narrow.Next(&y)
				if p != q || wide.Offset() != narrow.Offset() && p == FaultNone {
					t.Fatalf("%s at %d: fault %d and %d, then at %d and %d", x.Code, x.Off, p, q, wide.Offset(), narrow.Offset())
				}
				if p != FaultNone {
					break
				}
				if x.Code != y.Code || x.Off != y.Off || x.Num != y.Num || x.TextLen != y.TextLen || !bytes.Equal(x.Text, y.Text) ||
					!bytes.Equal(x.Text2, y.Text2) {
					t.Fatalf("%+v and %+v", x, y)
				}
				if x.Code == Frame {
					if wide.Enter(&x) != narrow.Enter(&y) {
						t.Fatalf("the FRAME at %d", x.Off)
					}
				}
			}
		}
	})
}
