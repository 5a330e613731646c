package store

import (
	"strings"
	"testing"
)

var testDigest = "sha256:" + strings.Repeat("0123456789abcdef", 4)

func TestParseOCI(t *testing.T) {
	oci := func(root, revision, path string) Ref {
		return Ref{Scheme: "oci", Root: root, Revision: revision, Path: path}
	}
	for _, test := range []refTest{
		{"oci://ghcr.io/org/model", oci("ghcr.io/org/model", "", ""), ""},
		{"oci://ghcr.io/org/model/", oci("ghcr.io/org/model", "", ""), "oci://ghcr.io/org/model"},
		{"oci://ghcr.io/a/b/c-d__e.f:v1.0_A", oci("ghcr.io/a/b/c-d__e.f", "v1.0_A", ""), ""},
		{"oci://GHCR.io/org/model:v1/a b/c%20?d#e@f:g", oci("ghcr.io/org/model", "v1", "a b/c%20?d#e@f:g"),
			"oci://ghcr.io/org/model:v1/a b/c%20?d#e@f:g"},
		{"oci://localhost:5000/model:v1/", oci("localhost:5000/model", "v1", ""), "oci://localhost:5000/model:v1"},
		{"oci://localhost/model", oci("localhost/model", "", ""), ""},
		{"oci://[::1]:5000/model:v1", oci("[::1]:5000/model", "v1", ""), ""},
		{"oci://r.example/m@" + testDigest, oci("r.example/m", testDigest, ""), ""},
		{"oci://r.example/m@" + testDigest + "/a/b", oci("r.example/m", testDigest, "a/b"), ""},
		{"oci://r.example/m:v1@" + testDigest, oci("r.example/m", testDigest, ""), "oci://r.example/m@" + testDigest},
	} {
		test.check(t)
	}
	r := oci("r.example/m", "", "a/b") // as Dir and others make them
	if got := r.String(); got != "oci://r.example/m:latest/a/b" {
		t.Errorf("a path without a tag prints as %q", got)
	}
}

func TestParseOCIErrors(t *testing.T) {
	for text, want := range map[string]string{
		"oci://":                              `registry "" is not a host: want oci://registry/repository[:tag][/path]`,
		"oci://ai/model":                      "did you mean oci://docker.io/ai/model?",
		"oci://r.example":                     `"" is not the name of a repository`,
		"oci://r.example/Model":               `"Model" is not the name of a repository, such as "models/llama"`,
		"oci://r.example/a//b":                "is not the name of a repository",
		"oci://r.example/../b":                "is not the name of a repository",
		"oci://r.example/a:b:c":               `tag "b:c" has characters`,
		"oci://r.example/a:":                  `tag "" has characters`,
		"oci://r.example/a:v/../b":            "has an element that is empty",
		"oci://r.example/a@sha256:12":         "the digest is not",
		"oci://r.example/a@" + testDigest[1:]: "the digest is not",
		"oci://USER:SECRET@r.example/a":       "credentials are not allowed",
		"oci://USER:SECRET/a":                 "credentials are not allowed",
		"oci://SECRET@r.example/a":            "log in with `docker login`",
	} {
		r, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") || r != (Ref{}) {
			t.Errorf("Parse(%q) = %+q, %v; want an error with %q", text, fields(r), err, want)
		}
	}
}
