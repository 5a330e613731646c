// Header fields: what is accepted, and which servers they reach.

package cli

import (
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

func TestParseField(t *testing.T) {
	for text, want := range map[string]string{
		"Authorization: Bearer abc":                        " Authorization=Bearer abc",
		"private-token:abc":                                " Private-Token=abc",
		"https://Gitlab.example PRIVATE-TOKEN: abc":        "https://gitlab.example Private-Token=abc",
		"https://host.example:443/ X-JFrog-Art-Api:  a:b ": "https://host.example X-Jfrog-Art-Api=a:b",
		"http://host.example:8080 A: b":                    "http://host.example:8080 A=b",
		"Authorization Bearer SECRET":                      "is not a header field",
		"SECRET":                                           "is not a header field",
		": SECRET":                                         "is not a header field",
		"Ä: SECRET":                                        "is not a header field",
		"Authorization:":                                   "has no value",
		"A: b\r\nX: SECRET":                                "control characters",
		"Range: bytes=0-SECRET":                            "sets Range, which weigh sets itself",
		"host: SECRET":                                     "sets Host",
		"ftp://host.example A: SECRET":                     "is not just a scheme and a host",
		"https://user:SECRET@host.example A: b":            "is not just a scheme and a host",
		"https://host.example/path A: SECRET":              "is not just a scheme and a host",
		"https://host.example?x=SECRET A: b":               "is not just a scheme and a host",
		"https://%zzSECRET A: b":                           "is not just a scheme and a host",
	} {
		origin, name, value, wrong := parseField(text, headerForm)
		got := origin + " " + name + "=" + value
		if wrong != "" {
			got = wrong
		}
		if got != want && (wrong == "" || !strings.Contains(got, want)) || strings.Contains(wrong, "SECRET") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestNetrc has the forms that the manual of curl describes, and Python's for quoted words.
func TestNetrc(t *testing.T) {
	got := parseNetrc("machine a.example login u password p\n" +
		"# machine comment.example login u password p\n#\n" +
		"machine b.example\r\n\tlogin u2\r\n\taccount x\r\n\tpassword \"p w\\\"x\"\r\n" +
		"machine nothing.example\nmacdef init\nmachine macro.example login u password p\n\n" +
		"machine c.example password #3 login \"\"\n" +
		"default login anonymous password d\nlogin lost\n" +
		"machine last.example password z login")
	want := []login{{"a.example", "u", "p"}, {"b.example", "u2", `p w"x`}, {"c.example", "", "#3"},
		{"last.example", "", "z"}}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, text := range []string{"", "machine", "password", "\"", "login x password", "default"} {
		if got := parseNetrc(text); len(got) > 0 {
			t.Errorf("%q has %q", text, got)
		}
	}
}

// TestFieldsReachTargetsOnly asks for the fields of origins in turn.
func TestFieldsReachTargetsOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "netrc")
	err := os.WriteFile(file, []byte("machine login.example login u password p\nmachine 127.0.0.1 login l password p\n"),
		0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		given   []string
		targets string // separated by spaces
		origin  string
		want    string // the fields; "error"
	}{
		{[]string{"A: 1", "A: 2", "B: 3"}, "https://target.example/m", "https://target.example", "A=1,2 B=3"},
		{[]string{"A: 1"}, "https://target.example/m https://target.example/n", "https://target.example", "A=1"},
		{[]string{"A: 1"}, "https://target.example/m", "https://cdn.target.example", ""},
		{[]string{"A: 1"}, "https://target.example/m", "https://target.example:8443", ""},
		{[]string{"A: 1"}, "https://target.example/m", "http://target.example", ""},
		{[]string{"A: 1"}, "https://target.example/m https://other.example/m", "", "error"},
		{[]string{"A: 1"}, "hf://org/repo", "https://huggingface.co", ""},
		{[]string{"https://other.example A: 1", "https://target.example B: 2"},
			"https://target.example/m https://other.example/m", "https://other.example", "A=1 Authorization=e"},
		{nil, "https://target.example/m", "https://other.example", ""}, // a redirect
		{nil, "https://other.example/m", "https://other.example", "Authorization=e"},
		{nil, "https://login.example/m", "https://login.example", "Authorization=Basic dTpw"},
		{nil, "https://login.example:8443/m", "https://login.example:8443", "Authorization=Basic dTpw"},
		{nil, "http://login.example/m", "http://login.example", ""},
		{nil, "http://127.0.0.1:80/m", "http://127.0.0.1", "Authorization=Basic bDpw"},
		{nil, "https://target.example/m", "https://login.example", ""}, // a redirect
		{[]string{"Authorization: Bearer x"}, "https://login.example/m", "https://login.example", "Authorization=Bearer x"},
	} {
		f := &fields{given: test.given, env: func(name string) string {
			return map[string]string{"NETRC": file, "WEIGH_HEADERS": "\nhttps://other.example Authorization: e\n"}[name]
		}}
		err := f.read()
		for target := range strings.SplitSeq(test.targets, " ") {
			ref, _ := store.Parse(target)
			if err == nil {
				err = f.target(ref)
			}
		}
		if err != nil {
			if test.want != "error" {
				t.Errorf("%+v: %v", test, err)
			}
			continue
		}
		if got := written(f.header(test.origin)); got != test.want {
			t.Errorf("%q for %s: %s gets %q, want %q", test.given, test.targets, test.origin, got, test.want)
		}
	}
}

// written returns the fields of a header as text.
func written(h http.Header) string {
	var all []string
	for name, values := range h {
		all = append(all, name+"="+strings.Join(values, ","))
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestPrivateRedirects: the program follows no redirect to a private address, and says how to.
func TestPrivateRedirects(t *testing.T) {
	for value, private := range map[string]bool{"": true, "allow": false} {
		s := &Session{env: func(name string) string {
			return map[string]string{"WEIGH_PRIVATE_REDIRECTS": value}[name]
		}}
		o, err := s.newOpener()
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Private == nil || o.Private(netip.MustParseAddr("10.0.0.1")); got != private {
			t.Errorf("WEIGH_PRIVATE_REDIRECTS=%s: 10.0.0.1 is private: %t", value, got)
		}
	}
	err := &remote.Error{Method: "GET", URL: "http://nas.example/model", Err: remote.ErrPrivate}
	const want = "not followed: if you trust that server, set WEIGH_PRIVATE_REDIRECTS=allow"
	if got := Describe(err); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHeaderErrors: no error repeats what was written.
func TestHeaderErrors(t *testing.T) {
	for _, test := range []struct{ given, env, want string }{
		{given: "SECRET", want: `--header number 1 is not a header field: write "NAME: VALUE", or`},
		{given: "range: SECRET", want: "--header number 1 sets Range, which weigh sets itself: leave it out"},
		{env: "\nA: SECRET", want: "line 2 of the environment variable WEIGH_HEADERS does not begin with the server"},
		{env: "https://h.example SECRET", want: "line 1 of the environment variable WEIGH_HEADERS is not a header field"},
	} {
		f := &fields{env: func(name string) string { return map[string]string{"WEIGH_HEADERS": test.env}[name] }}
		if test.given != "" {
			f.given = []string{test.given}
		}
		err := f.read()
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
