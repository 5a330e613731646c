// How many round trips a command takes.

package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/remote/remotetest"
)

// manyShards returns the files of a published model: 37 shards, their index, and what tokenizers need.
func manyShards() map[string][]byte {
	var tensors []remotetest.Param
	for i := range 37 {
		for j := range 26 {
			tensors = append(tensors, remotetest.Param{Name: fmt.Sprintf("model.layers.%d.mlp.experts.%d.gate_proj.weight", i, j), Shape: []int64{64, 64}})
		}
	}
	l := remotetest.NewLayout(tensors, 26*2*64*64)
	files := map[string][]byte{"model.safetensors.index.json": l.Index}
	for name, head := range l.Heads {
		files[name] = append(slices.Clone(head), make([]byte, l.Sizes[name]-int64(len(head)))...)
	}
	for _, name := range []string{"config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.json"} {
		files[name] = []byte("{}")
	}
	files["tokenizer.json"] = append([]byte("{}"), bytes.Repeat([]byte(" "), 200_000)...) // large
	for _, name := range []string{"README.md", "LICENSE", "merges.txt", ".gitattributes"} {
		files[name] = []byte("text\n")
	}
	return files
}

// A course is one run of the program on a Link.
type course struct {
	link *remotetest.Link
	env  map[string]string
}

// run runs the program, and returns its output and the rounds that it took.
func (c *course) run(t *testing.T, args ...string) (out string, rounds int) {
	t.Helper()
	was := http.DefaultTransport
	http.DefaultTransport = c.link
	defer func() { http.DefaultTransport = was }()
	var stdout, stderr bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c.link.Start()
		code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, func(name string) string { return c.env[name] })
		rounds = c.link.Rounds()
		if code != cli.ExitOK && code != cli.ExitFound && code != cli.ExitIO {
			t.Fatalf("%v: exit code %d, %s", args, code, stderr.String())
		}
	})
	return stdout.String() + stderr.String(), rounds
}

// TestRounds counts requests that have to wait for others. The least for shards is three: for the index that
// names them, for each shard, and for each at the server that the Hub redirects to.
func TestRounds(t *testing.T) {
	files := manyShards()
	with := func(more map[string][]byte) *remotetest.Repo {
		all := maps.Clone(files)
		maps.Copy(all, more)
		return &remotetest.Repo{Commit: sampleCommit, Files: all}
	}
	first := files["model-00001-of-00037.safetensors"]
	pipeline := map[string][]byte{"model_index.json": []byte(`{"unet": [], "vae": []}`)}
	for _, part := range []string{"unet/", "vae/"} {
		for name, text := range files {
			pipeline[part+strings.Replace(name, "model", "diffusion_pytorch_model", 1)] = text
		}
	}
	hub := &remotetest.Hub{Large: 100_000, CDN: "http://cdn.example", Repos: map[string]*remotetest.Repo{
		"org/repo": with(nil), "org/more": with(map[string][]byte{"consolidated.safetensors": first, "lora/extra.safetensors": first}),
		"org/pipeline": {Commit: sampleCommit, Files: pipeline},
		"org/one":      {Commit: sampleCommit, Files: map[string][]byte{"model.safetensors": first, "config.json": []byte("{}")}},
		"org/other":    {Commit: strings.Repeat("a", 40), Files: maps.Clone(files)},
	}, Moved: map[string]string{"org/old": "org/repo"}}
	for _, tt := range []struct {
		args                    string
		rounds, requests, bytes int
	}{
		// The index, which has the commit; the listing; 37 shards, and what is beside them, at two servers.
		{"info hf://org/repo", 4, 77, 225_000},
		{"check hf://org/repo", 4, 84, 300_000},
		// The listing and the index at once.
		{"info hf://org/repo@" + sampleCommit, 3, 77, 225_000},
		{"check hf://org/repo@" + sampleCommit, 3, 84, 300_000},
		// One more, which says the new name.
		{"info hf://org/old", 5, 78, 225_000},
		{"check hf://org/old", 5, 85, 300_000},
		// Other files are compared with the shards by their headers, of which the index predicts the size.
		{"info hf://org/more", 4, 82, 400_000},
		{"check hf://org/more", 4, 89, 450_000},
		// The listing says that there is no index.
		{"info hf://org/one", 4, 5, 100_000},
		{"check hf://org/one", 4, 5, 100_000},
		// Both sides at once, with at most 64 requests at a time, and no data of files with equal digests.
		{"diff --headers hf://org/repo hf://org/other", 5, 152, 450_000},
		{"diff hf://org/repo hf://org/other", 5, 152, 450_000},
		{"diff --values hf://org/repo hf://org/other", 5, 152, 450_000},
		// Other verbs, for which there is no target.
		{"scan hf://org/repo", 18, 170, 6_000_000},
		{"cat hf://org/repo model.layers.3.mlp.experts.1.gate_proj.weight[0]", 5, 5, 170_000},
	} {
		link := &remotetest.Link{Handler: hub}
		c := course{link, map[string]string{"HF_ENDPOINT": "http://hub.example", "HF_HOME": t.TempDir(), "WEIGH_CACHE": "off"}}
		_, rounds := c.run(t, strings.Fields(tt.args)...)
		byRound, bytes := make(map[int]int), 0
		for _, s := range link.Sent() {
			byRound[s.Round]++
			bytes += s.Bytes
		}
		if n := len(link.Sent()); rounds > tt.rounds || n > tt.requests || bytes > tt.bytes {
			t.Errorf("%s: %d rounds with %d requests for %d bytes, %v; want at most %d, %d, %d", tt.args, rounds, n, bytes,
				byRound, tt.rounds, tt.requests, tt.bytes)
		}
	}
}
