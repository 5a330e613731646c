// Numbers about the largest float64: where the reference implementation draws the line.

package jsonscan

import (
	"strings"
	"testing"
)

// The outcomes are those of the reference implementation, safetensors 0.8.0, when
// a header has the number as a member that it ignores. Its parser multiplies a
// rounded significand by a rounded power of ten: so 1.7976931348623158e308, which
// rounds down to the largest float64, is too large for it, and a longer number that
// is larger is not.
func TestFinite(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("0", n) }
	for text, want := range map[string]bool{
		"0":                               true,
		"1e308":                           true,
		"-1e308":                          true,
		"1e309":                           false,
		"1e400":                           false,
		"-1e400":                          false,
		"0e400":                           true,
		"0e99999999999":                   true,
		"1e99999999999":                   false,
		"1e-99999999999":                  true,
		"1e-400":                          true,
		"1e+00000000000000308":            true,
		"1.7976931348623158e308":          false,
		"1.79769313486231581e308":         true,
		"17976931348623157" + zeros(292):  false,
		"1" + zeros(308):                  true,
		"1" + zeros(309):                  false,
		"1" + zeros(309) + "e-1":          true,
		"0." + zeros(400) + "1":           true,
		"0." + zeros(400) + "1e500":       true,
		"123456789012345678901234567890":  true,
		"1" + zeros(300) + "." + zeros(9): true,
	} {
		s := New([]byte(text))
		_, err := s.Num()
		if (err == nil) != want {
			t.Errorf("%.60s: %v, want %v", text, err, want)
		}
	}
}
