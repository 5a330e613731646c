// Tensors fetched to a new file, by a program that is killed again and again.

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/remote/remotetest"
)

// randomTensors returns tensors of a little more than 1 MiB each, of random bytes.
func randomTensors(t *testing.T, n int) []*safetensors.Tensor {
	t.Helper()
	random := rand.NewChaCha8([32]byte{})
	var tensors []*safetensors.Tensor
	for i := range n {
		data := make([]byte, 1<<20+i)
		random.Read(data)
		one, err := safetensors.NewTensor(fmt.Sprintf("t%02d", i), data, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, one)
	}
	return tensors
}

// A killer is a server that calls end when it is about to have sent so many bytes.
type killer struct {
	http.Handler
	left atomic.Int64
	end  atomic.Pointer[func()]
}

func (k *killer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.Handler.ServeHTTP(&killing{w, k}, r)
}

type killing struct {
	http.ResponseWriter
	*killer
}

func (w *killing) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		part := p[n:min(n+4096, len(p))]
		if left := w.left.Add(-int64(len(part))); left < 0 && left+int64(len(part)) >= 0 {
			(*w.end.Load())()
		}
		var m int
		m, err = w.ResponseWriter.Write(part)
		n += m
	}
	return n, err
}

// TestTensorsSurviveKills kills the program after it was sent some bytes, several times. In the end
// the file is the one that the Encoder writes.
func TestTensorsSurviveKills(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	model := t.TempDir()
	all := randomTensors(t, 36)
	w := shards.Writer{MaxShard: 10 << 20}
	if _, err := w.Write(t.Context(), model, all...); err != nil {
		t.Fatal(err)
	}
	files, err := filesOf(model)
	if err != nil {
		t.Fatal(err)
	}
	chosen := slices.Clone(all[:10]) // one run, in two shards
	for i := 20; i < 36; i += 2 {
		chosen = append(chosen, all[i])
	}
	var want bytes.Buffer
	if err := safetensors.Encode(&want, chosen...); err != nil {
		t.Fatal(err)
	}
	hub := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: sampleCommit, Files: files}}}
	k := &killer{Handler: hub}
	server := httptest.NewUnstartedServer(k)
	hub.CDN = "http://" + server.Listener.Addr().String()
	server.Start()
	defer server.Close()
	dir := t.TempDir()
	command := func() *exec.Cmd {
		cmd := exec.Command("weigh", "get", "hf://org/repo", "-o", dir, "--include", "t0*", "--include", "t[23]*[02468]")
		cmd.Env = append(os.Environ(), "HF_ENDPOINT="+server.URL, "HF_HOME="+dir+"/none", "WEIGH_CACHE=off")
		return cmd
	}
	get := func(limit int64) string {
		cmd := command()
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		started := make(chan struct{})
		end := func() { <-started; cmd.Process.Kill() }
		k.end.Store(&end)
		k.left.Store(limit)
		err := cmd.Start()
		close(started)
		if err != nil {
			t.Skip(err)
		}
		cmd.Wait()
		for notice := range strings.Lines(errs.String()) {
			if !strings.Contains(notice, "waiting for it") && !strings.Contains(notice, "weigh: keeping") {
				t.Fatal(notice)
			}
		}
		return out.String()
	}
	name := filepath.Join(dir, "model.safetensors")
	complete := func() bool { _, err := os.Stat(name); return err == nil }
	for range 5 {
		for i := 0; i < 5 && !complete(); i++ {
			second := command() // one of them waits, and continues if the other is killed
			if i%2 == 1 && second.Start() != nil {
				t.Skip("the program does not start")
			}
			get(rand.Int64N(16 << 20)) // of 18, of which some may be there
			if i%2 == 1 {
				if err := second.Wait(); err != nil || !complete() {
					t.Fatalf("the process that was not killed ends with %v", err)
				}
			}
			parts, err := filepath.Glob(filepath.Join(dir, ".*"))
			if err != nil || len(parts) > 2 {
				t.Fatalf("after a kill there are %q, %v; want one hidden file and its record", parts, err)
			}
		}
		if !complete() {
			if out := get(1 << 40); !strings.Contains(out, "written from 18 tensors") {
				t.Fatalf("%q", out)
			}
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("it has %d bytes that are not the %d due: %v", len(got), want.Len(), err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%d files are there, want one", len(entries))
		}
		os.Remove(name)
	}
}

// TestTensorsOfOtherVersion: what was left is of no use once another file is meant.
func TestTensorsOfOtherVersion(t *testing.T) {
	model := t.TempDir()
	if err := safetensors.WriteFile(filepath.Join(model, "model.safetensors"), randomTensors(t, 3)...); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(model)))
	defer server.Close()
	dir := t.TempDir()
	parts := make(map[string]bool)
	for _, include := range []string{"t00", "t01", "t0[01]"} {
		var errs bytes.Buffer
		args := []string{"get", server.URL + "/model.safetensors", "-o", dir, "--include", include, "--max-bytes", "900KB"}
		if code := run(t.Context(), args, nil, new(bytes.Buffer), &errs, noEnv); code != cli.ExitIO || !strings.Contains(errs.String(), "the limit of") {
			t.Fatalf("%s: exit code %d, %s", include, code, errs.String())
		}
		left, err := filepath.Glob(filepath.Join(dir, ".*"))
		if err != nil || len(left) != 2 || parts[left[0]] {
			t.Errorf("%s: %q were left, %v; want one file of a name of its own, and its record", include, left, err)
		}
		parts[left[0]] = true
	}
}

// TestTensorsNearEachOther: 100 tensors with 10,000 bytes between any two come by one
// request, and what lies between them with it; those of which 100,000 lie between, one by
// one. The first comes with the header.
func TestTensorsNearEachOther(t *testing.T) {
	for _, tt := range []struct{ gap, requests int }{{10_000, 2}, {100_000, 100}} {
		dir := t.TempDir()
		var all, chosen []*safetensors.Tensor
		for i := range 100 {
			for _, kind := range []struct {
				name string
				size int
			}{{"bias", 10}, {"weight", tt.gap}} {
				one, err := safetensors.NewTensor(fmt.Sprintf("%02d.%s", i, kind.name), bytes.Repeat([]byte{byte(i)}, kind.size), int64(kind.size))
				if err != nil {
					t.Fatal(err)
				}
				if all = append(all, one); kind.name == "bias" {
					chosen = append(chosen, one)
				}
			}
		}
		if err := safetensors.WriteFile(filepath.Join(dir, "model.safetensors"), all...); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		defer server.Close()
		var errs, want bytes.Buffer
		out := t.TempDir()
		args := []string{"get", server.URL + "/model.safetensors", "-o", out, "--include", "**bias", "--cost"}
		if code := run(t.Context(), args, nil, new(bytes.Buffer), &errs, noEnv); code != cli.ExitOK {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		if err := safetensors.Encode(&want, chosen...); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out, "model.safetensors"))
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("it has %d bytes that are not the %d due: %v", len(got), want.Len(), err)
		}
		if want := fmt.Sprintf("cost: %d requests", tt.requests); !strings.Contains(errs.String(), want) {
			t.Errorf("%d bytes between: %s, want %s", tt.gap, errs.String(), want)
		}
	}
}
