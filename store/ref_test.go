// What users write, and what it is taken for.

package store

import (
	"fmt"
	"strings"
	"testing"
	"unique"
)

// refTest is a text and the Ref it means. String gives the text back, or
// canonical if that is not "".
type refTest struct {
	text      string
	want      Ref
	canonical string
}

func (test refTest) check(t *testing.T) {
	t.Helper()
	got, err := Parse(test.text)
	if err != nil {
		t.Errorf("Parse(%q): %v", test.text, err)
		return
	}
	public := got
	public.escaped, public.secret = "", unique.Handle[secret]{}
	if public != test.want {
		t.Errorf("Parse(%q) = %+q; want %+q", test.text, fields(got), fields(test.want))
	}
	want := test.canonical
	if want == "" {
		want = test.text
	}
	if got.String() != want {
		t.Errorf("Parse(%q).String() = %q; want %q", test.text, got, want)
	}
}

// fields returns r's exported fields, for messages.
func fields(r Ref) []string { return []string{r.Scheme, r.Root, r.Revision, r.Path} }

func TestParseBucket(t *testing.T) {
	for _, test := range []refTest{
		{"s3://bucket", Ref{Scheme: "s3", Root: "bucket"}, ""},
		{"s3://bucket/", Ref{Scheme: "s3", Root: "bucket"}, "s3://bucket"},
		{"s3://my.bucket-1_x/a/b.safetensors", Ref{Scheme: "s3", Root: "my.bucket-1_x", Path: "a/b.safetensors"}, ""},
		{"s3://bucket/prefix/", Ref{Scheme: "s3", Root: "bucket", Path: "prefix"}, "s3://bucket/prefix"},
		{"gs://bucket/path", Ref{Scheme: "gs", Root: "bucket", Path: "path"}, ""},
		{"gcs://bucket/path", Ref{Scheme: "gs", Root: "bucket", Path: "path"}, "gs://bucket/path"},
		{"s3a://bucket/path", Ref{Scheme: "s3", Root: "bucket", Path: "path"}, "s3://bucket/path"},
		{"s3n://bucket/path", Ref{Scheme: "s3", Root: "bucket", Path: "path"}, "s3://bucket/path"},
		{"r2://bucket/path", Ref{Scheme: "r2", Root: "bucket", Path: "path"}, ""},
		{"s3://bucket/a?versionId=L4kqtJlcpXroDTDmpUMLUo", Ref{Scheme: "s3", Root: "bucket", Path: "a", Revision: "L4kqtJlcpXroDTDmpUMLUo"}, ""},
		{"gs://bucket/a#1360383693690000", Ref{Scheme: "gs", Root: "bucket", Path: "a", Revision: "1360383693690000"}, ""},
		{"gs://bucket/a#b", Ref{Scheme: "gs", Root: "bucket", Path: "a#b"}, ""},
		{"s3://bucket/a?versionId=", Ref{Scheme: "s3", Root: "bucket", Path: "a?versionId="}, ""},
		{"s3://bucket/a?versionId=b/c", Ref{Scheme: "s3", Root: "bucket", Path: "a?versionId=b/c"}, ""},
		{"S3://Bucket/Path", Ref{Scheme: "s3", Root: "Bucket", Path: "Path"}, "s3://Bucket/Path"},
		// Keys are taken as they are.
		{"s3://bucket/a b%20c?d#e@f", Ref{Scheme: "s3", Root: "bucket", Path: "a b%20c?d#e@f"}, ""},
	} {
		test.check(t)
	}
}

func TestParseWeb(t *testing.T) {
	web := func(root, path string) Ref { return Ref{Scheme: "https", Root: root, Path: path} }
	for _, test := range []refTest{
		{"https://host/a/b.safetensors", web("https://host/a", "b.safetensors"), ""},
		{"https://host/a/b/", web("https://host/a/b", ""), ""},
		{"https://host/a", web("https://host", "a"), ""},
		{"https://host/", web("https://host", ""), ""},
		{"https://host", web("https://host", ""), "https://host/"},
		{"https://host:8080/a", web("https://host:8080", "a"), ""},
		{"https://[::1]:8080/a", web("https://[::1]:8080", "a"), ""},
		{"HTTPS://host/a", web("https://host", "a"), "https://host/a"},
		{"https://host/a//b", web("https://host/a/", "b"), ""},
		// Path is a name, Root part of a URL.
		{"https://host/a%20b/c%20d", web("https://host/a%20b", "c d"), ""},
		{"https://host/a b/c d", web("https://host/a%20b", "c d"), "https://host/a%20b/c%20d"},
		{"https://host/100%25", web("https://host", "100%"), ""},
		{"https://host/what%3F%23", web("https://host", "what?#"), ""},
		{"https://host/a+b", web("https://host", "a+b"), ""},
		// Escapes that need not be there are kept: to the server they may matter.
		{"https://host/o/dir%2Fa.safetensors", web("https://host/o", "dir/a.safetensors"), ""},
		{"https://host/a%2Bb", web("https://host", "a+b"), ""},
		{"https://host/a/..", web("https://host/a/..", ""), "https://host/a/../"},
		{"https://host/%2e%2e", web("https://host/%2e%2e", ""), "https://host/%2e%2e/"},
		{"https://host/a#part", web("https://host", "a"), "https://host/a"},
		{"https://user:password@host/a", web("https://host", "a"), "https://host/a"},
		{"https://host/a?X-Amz-Signature=0123", web("https://host", "a"), "https://host/a"},
		// Not pages of repositories.
		{"https://huggingface.co/api/models/org/repo", web("https://huggingface.co/api/models/org", "repo"), ""},
		{"https://huggingface.co.example/org/repo", web("https://huggingface.co.example/org", "repo"), ""},
		{"https://huggingface.co@host/org/repo", web("https://host/org", "repo"), "https://host/org/repo"},
	} {
		test.check(t)
	}
	refTest{"http://host/a", Ref{Scheme: "http", Root: "http://host", Path: "a"}, ""}.check(t)
}

func TestURL(t *testing.T) {
	for _, test := range []struct {
		ref  string
		path string // instead of the Ref's own, if not ""
		want string
	}{
		{"https://host/a/b", "", "https://host/a/b"},
		{"https://host", "", "https://host/"},
		{"https://host/a?sig=0%2B1&b", "", "https://host/a?sig=0%2B1&b"},
		{"https://user:p%40ss@host/a", "", "https://user:p%40ss@host/a"},
		{"https://user@host/a?q", "", "https://user@host/a?q"},
		{"https://host/o/dir%2Fa?alt=media", "", "https://host/o/dir%2Fa?alt=media"},
		{"https://host/o/dir%2Fa", "dir/b", "https://host/o/dir/b"},
		{"https://host/a%20b/c", "d %?#/e", "https://host/a%20b/d%20%25%3F%23/e"},
		{"az://acct/c", "", "https://acct.blob.core.windows.net/c/"},
		{"az://acct.blob.core.chinacloudapi.cn/c/a b", "", "https://acct.blob.core.chinacloudapi.cn/c/a%20b"},
	} {
		r, err := Parse(test.ref)
		if err != nil {
			t.Error(err)
			continue
		}
		if test.path != "" {
			r.Path = test.path
		}
		if u, err := r.URL(); err != nil || u.String() != test.want {
			t.Errorf("%q, path %q: URL = %v, %v; want %q", test.ref, test.path, u, err, test.want)
		}
	}
	for _, r := range []Ref{{}, {Scheme: "hf", Root: "org/repo"}, {Scheme: "file", Root: "."}, {Scheme: "https", Root: "https://[host"}} {
		if u, err := r.URL(); err == nil {
			t.Errorf("URL of %+q = %v; want an error", fields(r), u)
		}
	}
}

// TestSecretsAreNotPrinted: neither by the Ref nor from within another value,
// of whose fields fmt cannot call the methods.
func TestSecretsAreNotPrinted(t *testing.T) {
	r, err := Parse("https://USER:PASSWORD@host/a?SIGNATURE#FRAGMENT")
	if err != nil {
		t.Fatal(err)
	}
	within := struct{ ref Ref }{r}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		for _, value := range []any{r, &r, within, &within, []Ref{r}} {
			printed := fmt.Sprintf(verb, value)
			for _, secret := range []string{"USER", "PASSWORD", "SIGNATURE", "FRAGMENT"} {
				// %x writes the letters of text as hexadecimal digits.
				if strings.Contains(printed, secret) || strings.Contains(printed, fmt.Sprintf("%x", secret)) {
					t.Errorf("Sprintf(%q, %T) shows %s: %s", verb, value, secret, printed)
				}
			}
		}
	}
}

func TestRefsAreComparable(t *testing.T) {
	const a, b = "https://user:p@host/a?sig=1", "https://user:p@host/a?sig=2"
	parse := func(s string) Ref {
		r, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if parse(a) != parse(strings.Clone(a)) {
		t.Error("the same text gives Refs that differ")
	}
	if parse(a) == parse(b) {
		t.Error("Refs of other signatures are equal")
	}
}

// parseErrors are texts that are no Refs, and what must be said of them.
var parseErrors = []struct{ text, want string }{
	{"", "empty ref"},
	{"ftp://host/a", `unknown scheme "ftp": want abfss, az, file, gs, hf, http, https, ms, oci, r2 or s3`},
	{"s3://", "no bucket: want s3://bucket[/path]"},
	{"gs:///a", "no bucket: want gs://bucket[/path]"},
	{"s3://buc ket/a", `bucket "buc ket" has characters`},
	{"s3://bucket/a/?versionId=b", "a version needs the name of an object"},
	{"s3://../a", `bucket ".." has characters`},
	{"s3://bucket//a", `path "/a" has an element that is empty`},
	{"s3://bucket/a/../b", `path "a/../b"`},
	{"s3://bucket/\xff", "not UTF-8"},
	{"hf://", "no repository: want hf://org/repo[@revision][/path]"},
	{"hf://org", "no repository"},
	{"hf://org/", "no repository"},
	{"hf:///repo", "no repository"},
	{"hf://models/repo", "no repository"},
	{"hf://org@v1", "no repository"},
	{"hf://datasets/repo", "no repository: want hf://datasets/org/repo"},
	{"hf://org/re po", `repository "org/re po" has characters`},
	{"hf://org/..", `repository "org/.." has characters`},
	{"hf://org/repo@", "empty revision"},
	{"hf://org/repo@/a", "empty revision"},
	{"hf://org/repo@%zz", `invalid URL escape "%zz"`},
	{"hf://org/repo@..", `revision ".." is not the name`},
	{"hf://org/repo@a%2F..%2Fb", `revision "a/../b" is not the name`},
	{"hf://org/repo@refs", `revision "refs" is not complete`},
	{"hf://dataset/org/repo", `unknown kind of repository "dataset": did you mean hf://datasets/org/repo?`},
	{"hf://model/org/repo", `did you mean hf://models/org/repo?`},
	{"hf://org/re--po", `"org/re--po" is not a name that the Hub allows`},
	{"hf://org/repo.git", "is not a name that the Hub allows"},
	{"hf://-org/repo", "is not a name that the Hub allows"},
	{"hf://org/" + strings.Repeat("a", 97), "is not a name that the Hub allows"},
	{"huggingface.co/gpt2?token=x", `ref "https://...huggingface.co/gpt2": no repository`},
	{"hf://org/repo@refs/pr", `revision "refs/pr" is not complete`},
	{"hf://org/repo@%72efs/pr/1", `revision "refs" is not complete`},
	{"hf://org/repo/../other", `path "../other"`},
	{"hf://org/repo//a", `path "/a"`},
	{"hf://buckets/org/name@v1", "a bucket has no revisions"},
	{"https://huggingface.co", "no repository"},
	{"https://huggingface.co/gpt2", "no repository"},
	{"https://huggingface.co/org/repo/discussions/1", "not to files: want hf://org/repo[@revision][/path]"},
	{"https://huggingface.co/org/repo/blob/main/%2e%2e/a", `path "../a"`},
	{"https://huggingface.co/buckets/org/name/blob/a", "not to files"},
	{"https://huggingface.co/buckets/org/name@v1", "a bucket has no revisions"},
	{"https://huggingface.co/org/repo@v1/blob/main/a", "has characters other than"},
	{"file:", "no path: want file:///path"},
	{"https://", "no host: want https://host/path"},
	{"https:///a", "no host"},
	{"http://:80/a", "no host"},
	{"https://ho st/a", "not a URL: invalid character"},
	{"https://host/%zz", `not a URL: invalid URL escape "%zz"`},
	{"https://host:port/", `not a URL: invalid port ":port"`},
	{"https://host/..%2fa", `last element "..%2fa" cannot be the name of an object`},
	{"https://host/%ff", `last element "%ff" cannot`},
	{"file://", "want file:///path"},
	{"file://host/a", "another machine"},
	{"file:///%zz", `invalid URL escape "%zz"`},
}

func TestParseErrors(t *testing.T) {
	for _, test := range parseErrors {
		r, err := Parse(test.text)
		if err == nil {
			t.Errorf("Parse(%q) = %+q; want an error", test.text, fields(r))
			continue
		}
		if r != (Ref{}) {
			t.Errorf("Parse(%q) = %+q beside its error", test.text, fields(r))
		}
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("Parse(%q): %q; want %q in it", test.text, err, test.want)
		}
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("Parse(%q): the error %q is not one line", test.text, err)
		}
	}
}

// TestErrorsDoNotShowSecrets parses what people get wrong about URLs that have
// secrets in them.
func TestErrorsDoNotShowSecrets(t *testing.T) {
	for _, text := range []string{
		"https://USER:SECRET@ho st/a",
		"https://USER:SECRET@host:port/a",
		"https://USER:SEC/SECRET@host/a",
		"https://USER:SECRET?SECRET@host/a",
		"https://USER:SECRET#SECRET@host/a",
		"https://USER:SECRET%zz@host/a",
		"https://USER:SEC@SECRET@ho st/a",
		"https://host/%zz?sig=SECRET",
		"https://host/%zz#SECRET",
		"https://host/%zz?sig=SECRET@SECRET",
		"ftp://USER:SECRET@host/a?SECRET",
		"s3://USER:SECRET@bucket/a",
		"s3://USER:SECRET/a@b",
		"hf://USER:SECRET@org/repo@",
	} {
		_, err := Parse(text)
		if err == nil {
			t.Errorf("Parse(%q): want an error", text)
		} else if strings.Contains(err.Error(), "SECRET") {
			t.Errorf("Parse(%q) shows a secret: %v", text, err)
		}
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"a/b?c":                               "a/b?c",
		"https://USER:SECRET@host/a?SECRET#b": "https://host/a",
		"https://USER:SECRET@ho st/a":         "https://...ho st/a",
		"https://SECRET@huggingface.co/org/repo/blob/main/a?SECRET": "hf://org/repo@main/a",
		"huggingface.co/org?SECRET":                                 "huggingface.co/org",
		"s3://SECRET:SECRET@bucket/a":                               "s3://...bucket/a",
		"file:///a":                                                 "file:///a",
	} {
		if got := Redact(text); got != want {
			t.Errorf("Redact(%q) = %q; want %q", text, got, want)
		}
	}
}

// FuzzParseRef: what Parse accepts is printed as it would be read again, and
// what it gives can be used as it is.
func FuzzParseRef(f *testing.F) {
	for _, seed := range []string{
		"model.safetensors", "./a", "../a/", "/", "//a", `C:\x\y`, `C:x`, `\\host\share`, "./s3://x", "c://x", "a:b",
		"file:///a/b", "https://user:pw@host/a%2Fb?q#f", "https://host//%2e%2e/*", "https://hf.co/a/b/blob/refs/pr/1/c",
		"hf://a/b@refs/pr/1/c", "hf://a/b@c%2Fd/e", "hf://datasets/a/b", "s3://a/b c", "gs://a", "https://h%41/x",
		"file:a", "./file:a", "hf.co/a/b@c", "./hf.co/a/b", "r2://a/b?versionId=c", "gs://a/b#1", "hf://models/a/b/",
		"oci://h.io/a/b:v1/c", "oci://localhost:5000/a@sha256:" + strings.Repeat("0a", 32), "oci://docker.io/ai/x/", "ms://a/b@c%2Fd/e",
		"az://a/b/c", "abfss://c@a.dfs.core.usgovcloudapi.net/x", "https://a.blob.core.windows.net/$web/x%2Fy",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		if _, err := r.URL(); err != nil && strings.HasPrefix(r.Scheme, "http") {
			t.Errorf("Parse(%q).URL: %v", text, err)
		}
		r.secret = unique.Handle[secret]{}
		again, err := Parse(r.String())
		if err != nil || again != r {
			t.Errorf("Parse(%q) = %+q, printed as %q, and parsed as %+q, %v", text, fields(r), r, fields(again), err)
		}
		if r.Root == "" {
			t.Errorf("Parse(%q) = %+q; want a root", text, fields(r))
		}
		if r.Scheme != "file" && r.Path != "" && CheckName(r.Path) != nil {
			t.Errorf("Parse(%q) = %+q; want a path that is a name", text, fields(r))
		}
	})
}
