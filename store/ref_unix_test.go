// Local paths, where "/" separates and a drive is a name like others.

//go:build !windows

package store

import "testing"

func TestParseLocal(t *testing.T) {
	file := func(root, path string) Ref { return Ref{Scheme: "file", Root: root, Path: path} }
	for _, test := range []refTest{
		{"model.safetensors", file(".", "model.safetensors"), ""},
		{"models/llama", file("models", "llama"), ""}, // a file or a directory
		{"models/llama/", file("models/llama", ""), ""},
		{"models//llama//", file("models//llama", ""), "models//llama/"},
		{"models//llama", file("models", "llama"), "models/llama"},
		{"/a/b", file("/a", "b"), ""},
		{"/a", file("/", "a"), ""},
		{"/", file("/", ""), ""},
		{"//", file("/", ""), "/"},
		{".", file(".", ""), "./"},
		{"..", file("..", ""), "../"},
		{"./a", file(".", "a"), "a"},
		{"../a", file("..", "a"), ""},
		{"a/..", file("a/..", ""), "a/../"}, // not ".", if a is a link
		{"a/./b", file("a/.", "b"), ""},
		{" a ", file(".", " a "), ""},
		{"-", file(".", "-"), ""},
		{".hidden", file(".", ".hidden"), ""},
		{`a\b`, file(".", `a\b`), ""},
		// Colons, but no schemes.
		{`C:\x\y`, file(".", `C:\x\y`), ""},
		{"C:/x", file("C:", "x"), ""},
		{"c://x", file("c:", "x"), "c:/x"},
		{"hf:", file(".", "hf:"), ""},
		{"https:/host", file("https:", "host"), ""},
		{"./s3://x", file("./s3:", "x"), "./s3:/x"},
		{"a b://c", file("a b:", "c"), "a b:/c"},
		{"1a://b", file("1a:", "b"), "1a:/b"},
		{"://a", file(":", "a"), ":/a"},
		{"file:///a/b", file("/a", "b"), "/a/b"},
		{"file:///a/b/", file("/a/b", ""), "/a/b/"},
		{"FILE://localhost/a%20b", file("/", "a b"), "/a b"},
		{"file:/a/b", file("/a", "b"), "/a/b"}, // RFC 8089, appendix B
		{"file:a%20b", file(".", "a b"), "a b"},
		{"./file:a", file(".", "file:a"), ""},
		{"./huggingface.co/org/repo", file("./huggingface.co/org", "repo"), ""},
		{"huggingface.co", file(".", "huggingface.co"), ""},
		{"file:///C:/x", file("/C:", "x"), "/C:/x"},
	} {
		test.check(t)
	}
}
