// Algorithms, and the lines of sha256sum.

package judge

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The first of each is published by those who made the algorithm: FIPS 180-4, the
// test vectors of xxHash (XXH3_128bits, seed 0), and those of BLAKE3.
func TestAlgorithms(t *testing.T) {
	for _, tt := range []struct{ algo, of, want string }{
		{"xxh3", "", "99aa06d3014798d86001c324468d497f"},
		{"blake3", "", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
		{"blake3", "abc", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"},
	} {
		h := newHash(tt.algo)()
		h.Write([]byte(tt.of))
		if got := hex.EncodeToString(h.Sum(nil)); got != tt.want || h.Size() != len(tt.want)/2 {
			t.Errorf("%s of %q: %s, size %d, want %s", tt.algo, tt.of, got, h.Size(), tt.want)
		}
	}
}

// What coreutils writes of odd names, by its manual: "\" before the line, and "\\" and
// "\n" in the name.
func TestSumLine(t *testing.T) {
	digits := strings.Repeat("0a", 32)
	for _, tt := range []struct {
		line, path string
		ok         bool
	}{
		{digits + "  a b", "a b", true},
		{digits + " *a", "a", true},
		{strings.ToUpper(digits) + "  a", "a", true},
		{`\` + digits + `  a\\b\nc\r`, "a\\b\nc\r", true},
		{`\` + digits + `  a\\n`, `a\n`, true},
		{digits + `  a\nb`, `a\nb`, true},
		{digits + "  ", "", false},
		{digits + " a", "", false},
		{digits + "a  b", "", false},
		{digits[1:] + "  a", "", false},
		{digits[1:] + "x  a", "", false},
		{"SHA256 (a (b) = c) = " + digits, "a (b) = c", true},
		{"MD5 (a) = " + digits, "", false},
		{"", "", false},
		{`\`, "", false},
	} {
		f, ok := sumLine(tt.line, "sha256", 64)
		if ok != tt.ok || ok && (f.path != tt.path || f.sum != digits) {
			t.Errorf("%q: %+v, %v, want %q, %v", tt.line, f, ok, tt.path, tt.ok)
		}
	}
}

func TestReadRecordRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "f contains no digests"},
		{"# nothing\n\n", "f contains no digests"},
		{"x\n", "f:1: "},
		{"{", "f is not output of hash --json: "},
		{"{}", "f is not output of hash --json: schema \"\""},
		{`{"schema":"weigh.hash/1","algo":"md5"}`, "f is not output of hash --json: "},
		{`{"schema":"weigh.hash/1","algo":"sha256","files":5}`, "f is not output of hash --json: "},
	} {
		if _, err := readRecord("f", []byte(tt.text), "sha256"); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s…", tt.text, err, tt.want)
		}
	}
}
