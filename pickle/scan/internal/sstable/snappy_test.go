package sstable

import "testing"

func TestUnpack(t *testing.T) {
	for packed, want := range map[string]string{
		"\x03\x08abc":                   "abc",
		"\x08\x08abc\x05\x03":           "abcabcab",  // a copy of 5 bytes at 3, with an offset of 11 bits
		"\x09\x08abc\x16\x03\x00":       "abcabcabc", // with an offset of 16 bits
		"\x06\x00a\x13\x01\x00\x00\x00": "aaaaaa",    // with an offset of 32 bits, of itself
		"\x02\xf0\x01ab":                "ab",        // a length in the next byte
		"\x03\x08ab":                    "",
		"\x05\x00a\x05\x02":             "", // before the beginning
		"\xff\xff\xff\xff\x0f\x00a":     "", // too large
		"\x04\xfc\xff\xff\xff\xff":      "",
	} {
		if got, ok := unpack([]byte(packed)); string(got) != want && ok || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", packed, got, ok, want)
		}
	}
}
