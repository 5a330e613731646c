// Files of one size, of which one is there and the other is to be fetched.

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// fileOf writes a file of one tensor.
func fileOf(t *testing.T, dir string, data []byte) string {
	t.Helper()
	one, err := safetensors.NewTensor("t", data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "model.safetensors")
	if err := safetensors.WriteFile(name, one); err != nil {
		t.Fatal(err)
	}
	return name
}

// A model and one that was trained from it have the same header and size. A server that
// tells no digest does not tell them apart, and the bytes do.
func TestGetOfTrainedModel(t *testing.T) {
	for _, where := range []string{"here", "on the web"} {
		for _, size := range []int{100, 2 << 20} {
			first, second, dst := t.TempDir(), t.TempDir(), t.TempDir()
			old := fileOf(t, first, bytes.Repeat([]byte{1}, size))
			target := fileOf(t, second, bytes.Repeat([]byte{2}, size))
			want, err := os.ReadFile(target)
			if err != nil {
				t.Fatal(err)
			}
			if where == "on the web" {
				server := httptest.NewServer(http.FileServer(http.Dir(second)))
				defer server.Close()
				target = server.URL + "/model.safetensors"
			}
			var out, errs bytes.Buffer
			get := func(args ...string) int {
				errs.Reset()
				return run(t.Context(), append([]string{"get", "-o", dst}, args...), nil, &out, &errs, noEnv)
			}
			if code := get(old); code != cli.ExitOK {
				t.Fatalf("%d: %s", code, errs.String())
			}
			if code := get(target); code != cli.ExitIO || !strings.Contains(errs.String(), "is another file") {
				t.Errorf("%s, %d bytes: exit code %d: %s", where, size, code, errs.String())
			}
			if code := get("--force", target); code != cli.ExitOK {
				t.Errorf("%s, %d bytes: exit code %d: %s", where, size, code, errs.String())
			}
			if got, err := os.ReadFile(filepath.Join(dst, "model.safetensors")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, %d bytes: with --force, the file is still the other one (%v)", where, size, err)
			}
			if code := get(target); code != cli.ExitOK {
				t.Errorf("%s, %d bytes: the same file is not kept: %s", where, size, errs.String())
			}
		}
	}
}

// TestGetOfStaleFile: the server has another version, which differs in one byte that no sample
// has. The ETag tells, or the date if the cache is gone.
func TestGetOfStaleFile(t *testing.T) {
	for _, cached := range []bool{true, false} {
		src, dst, cache := t.TempDir(), t.TempDir(), t.TempDir()
		name := fileOf(t, src, bytes.Repeat([]byte{1}, 1<<20))
		tag := `"1"`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", tag)
			http.FileServer(http.Dir(src)).ServeHTTP(w, r)
		}))
		defer server.Close()
		var out, errs bytes.Buffer
		get := func(args ...string) int {
			errs.Reset()
			args = append([]string{"get", "-o", dst, server.URL + "/model.safetensors"}, args...)
			return run(t.Context(), args, nil, &out, &errs, func(key string) string {
				return map[string]string{"WEIGH_CACHE": cache}[key]
			})
		}
		if code := get(); code != cli.ExitOK {
			t.Fatalf("%d: %s", code, errs.String())
		}
		if code := get(); code != cli.ExitOK || cached && errs.Len() > 0 {
			t.Errorf("the same file is not kept by its version: %d, %q", code, errs.String())
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		content[100_000] = 2
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
		tag = `"2"`
		if !cached {
			cache = t.TempDir()
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(name, later, later); err != nil {
			t.Fatal(err)
		}
		if code := get(); code != cli.ExitIO || !strings.Contains(errs.String(), "is another file") {
			t.Errorf("cached=%t: a stale file is kept: %d, %q", cached, code, errs.String())
		}
		if code := get("--force"); code != cli.ExitOK {
			t.Errorf("--force: %d, %s", code, errs.String())
		}
		got, err := os.ReadFile(filepath.Join(dst, "model.safetensors"))
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("with --force, the file is still the old one (%v)", err)
		}
	}
}
