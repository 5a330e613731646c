// Local paths of Windows: drives, shares, and two kinds of slashes.

package store

import "testing"

func TestParseLocal(t *testing.T) {
	file := func(root, path string) Ref { return Ref{Scheme: "file", Root: root, Path: path} }
	for _, test := range []refTest{
		{"model.safetensors", file(".", "model.safetensors"), ""},
		{`models\llama`, file("models", "llama"), ""},
		{`models\llama\`, file(`models\llama`, ""), ""},
		{"models/llama", file("models", "llama"), `models\llama`},
		{`C:\x\y`, file(`C:\x`, "y"), ""},
		{`C:\x`, file(`C:\`, "x"), ""},
		{`C:\`, file(`C:\`, ""), ""},
		{"C:/x", file(`C:\`, "x"), `C:\x`},
		{"c://x", file(`c:\`, "x"), `c:\x`}, // a drive, not a scheme
		{"C:x", file("C:", "x"), ""},        // in the current directory of the drive
		{"C:", file("C:", ""), ""},
		{`\x`, file(`\`, "x"), ""},
		{`\\host\share\x\y`, file(`\\host\share\x`, "y"), ""},
		{`\\host\share\x`, file(`\\host\share\`, "x"), ""},
		{`\\host\share`, file(`\\host\share\`, ""), `\\host\share\`},
		{".", file(".", ""), `.\`},
		{`.\a`, file(".", "a"), "a"},
		{"file:///C:/x/y", file(`C:\x`, "y"), `C:\x\y`},
		{"file:C:/x/y", file(`C:\x`, "y"), `C:\x\y`}, // RFC 8089, appendix E.2
	} {
		test.check(t)
	}
}
