// The same answers from anywhere: servers that are not ours, where they are installed.

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

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/remote/remotetest"
)

// TestSameAnswers asks of a model on a server what is asked of it in a folder.
func TestSameAnswers(t *testing.T) {
	sample, err := filesOf(absolute(t, "../../testdata/sample"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, content := range sample {
		if err := os.WriteFile(filepath.Join(root, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, directives := range remotetest.NginxWays {
		if testing.Short() && directives != "" {
			continue
		}
		t.Run("nginx "+name, func(t *testing.T) { sameAnswers(t, root, remotetest.Nginx(t, root, directives), nil) })
	}
	t.Run("python", func(t *testing.T) { sameAnswers(t, root, remotetest.Python(t, root), nil) })
	t.Run("gateway signed", func(t *testing.T) {
		g := fillGateway(t, sample)
		sameAnswers(t, root, "s3://weights/", map[string]string{"AWS_ENDPOINT_URL": g.URL, "AWS_ACCESS_KEY_ID": g.ID, "AWS_SECRET_ACCESS_KEY": g.Secret})
	})
	t.Run("gateway anonymous", func(t *testing.T) {
		g := fillGateway(t, sample)
		g.Publish()
		sameAnswers(t, root, "s3://weights/", map[string]string{"AWS_ENDPOINT_URL": g.URL, "AWS_EC2_METADATA_DISABLED": "1"})
	})
}

// TestPresigned reads a file by a URL that is signed for it and for GET alone.
func TestPresigned(t *testing.T) {
	files, err := filesOf(absolute(t, "../../testdata/sample"))
	if err != nil {
		t.Fatal(err)
	}
	const shard = "model-00002-of-00002.safetensors"
	t.Run("loopback", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/"+shard || r.URL.RawQuery != "sig=SIGSECRET" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			http.ServeContent(w, r, shard, time.Time{}, bytes.NewReader(files[shard]))
		}))
		defer server.Close()
		readSigned(t, server.URL+"/"+shard+"?sig=SIGSECRET", shard, files[shard])
	})
	t.Run("gateway", func(t *testing.T) { readSigned(t, fillGateway(t, files).Presign(shard), shard, files[shard]) })
}

// readSigned compares what commands print about a signed URL with what they print about the same file in a folder
// of its own. They print the URL without its signature.
func readSigned(t *testing.T, url, name string, content []byte) {
	t.Helper()
	alone := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(alone, content, 0o666); err != nil {
		t.Fatal(err)
	}
	bare, _, _ := strings.Cut(url, "?")
	for _, args := range []string{
		"info FILE", "check FILE", "header FILE", "metadata --hashes FILE", "cat FILE lm_head.weight[999,60:]", "stats --digest FILE",
	} {
		ask := func(file string) string {
			return weigh(t, strings.Fields(strings.Replace(args, "FILE", file, 1))...)
		}
		want := strings.ReplaceAll(ask(alone), alone, "FILE")
		if got := strings.ReplaceAll(ask(url), bare, "FILE"); got != want {
			t.Errorf("weigh %s: %s", args, cmp.Diff(want, got))
		}
	}
	dir := t.TempDir()
	weigh(t, "get", url, "-o", dir)
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes were downloaded: %v", len(got), err)
	}
}

func fillGateway(t *testing.T, files map[string][]byte) *remotetest.Gateway {
	g := remotetest.NewGateway(t)
	for name, content := range files {
		g.Put(name, content)
	}
	return g
}

// sameAnswers compares what the program says of the folder root with what it says of the
// same files at url.
func sameAnswers(t *testing.T, root, url string, vars map[string]string) {
	t.Helper()
	env := func(name string) string {
		if name == "WEIGH_CACHE" {
			return "off"
		}
		return vars[name]
	}
	const index, shard = "model.safetensors.index.json", "model-00002-of-00002.safetensors"
	ask := func(base string, args ...string) string {
		var out, errs bytes.Buffer
		for i := range args {
			args[i] = strings.Replace(args[i], "BASE", base, 1)
		}
		if code := run(t.Context(), args, nil, &out, &errs, env); code != cli.ExitOK {
			t.Fatalf("weigh %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return strings.ReplaceAll(out.String(), base, "BASE")
	}
	for _, args := range []string{
		"info BASE" + index, "info --csv BASE" + index, "info --json BASE" + shard,
		"check --json BASE" + index, "check BASE" + shard,
		"cat BASE" + shard + " lm_head.weight[999,60:]", "cat --format raw BASE" + index + " model.embed_tokens.weight",
		"stats --json --digest BASE" + index, "header BASE" + shard,
	} {
		want := ask(root+"/", strings.Fields(args)...)
		if got := ask(url, strings.Fields(args)...); got != want {
			t.Errorf("weigh %s: %s", args, cmp.Diff(want, got))
		}
	}
	for _, args := range []string{"get --weights-only BASE" + index + " -o ",
		"get --weights-only BASE" + index + " --include **norm.weight --include lm_head.* -o "} {
		here, there := t.TempDir(), t.TempDir()
		ask(root+"/", strings.Fields(args+here)...)
		ask(url, strings.Fields(args+there)...)
		want, err := filesOf(here)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := filesOf(there); err != nil || !cmp.Equal(got, want) {
			t.Errorf("weigh %s: %d files that are not the %d due: %v", args, len(got), len(want), err)
		}
	}
}
