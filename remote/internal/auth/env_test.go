package auth

import (
	"testing"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
)

func TestEndpoint(t *testing.T) {
	for text, want := range map[string]string{
		"https://host":            "https://host",
		"http://127.0.0.1:9000//": "http://127.0.0.1:9000",
		"HTTPS://host/base/":      "https://host/base",
		"host":                    "",
		"host:443":                "",
		"httpx://host":            "",
		"file:///etc":             "",
		"https://":                "",
		"https://host/?sig=x":     "",
		"https://%zz":             "",
		"":                        "",
	} {
		u, ok := Endpoint(text)
		if ok != (want != "") || ok && u.String() != want {
			t.Errorf("%q: %v, %t; want %q", text, u, ok, want)
		}
	}
}

func TestInHome(t *testing.T) {
	s := fetch.NewShared(fetch.Options{Env: remotetest.Env("USERPROFILE=/users/a")})
	for path, want := range map[string]string{"~": "/users/a", "~/b": "/users/a/b", "~b": "~b", "/a/~": "/a/~", "": ""} {
		if got := InHome(s, path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
