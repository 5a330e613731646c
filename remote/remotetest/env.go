// Environments and contents for tests of stores.

package remotetest

import (
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors/store"
)

// Env returns the values of environment variables from settings such as "NAME=value".
func Env(settings ...string) func(name string) string {
	return func(name string) string {
		for _, s := range settings {
			if value, ok := strings.CutPrefix(s, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// Read returns the content of an object that was opened with an error or without.
func Read(t testing.TB, o store.Object, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(o.ReaderAt(t.Context()), 0, o.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
