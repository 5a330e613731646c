// The Hub's cache: snapshots of links to blobs that are called by their digests.

package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

const (
	cached   = "models--org--repo"
	revision = "0123456789abcdef0123456789abcdef01234567"
	snapshot = cached + "/snapshots/" + revision
)

// A cache is the Hub's cache in a folder of the file system.
type cache struct {
	t   *testing.T
	dir string
}

// newCache returns a cache of one repository, with the files in it.
func newCache(t *testing.T, f folder) *cache {
	c := &cache{t, t.TempDir()}
	c.write(cached+"/refs/main", []byte(revision))
	for name, content := range f {
		digest := sha256Of(content)
		if !strings.HasSuffix(name, ".safetensors") {
			digest = gitBlob(content)
		}
		c.write(cached+"/blobs/"+digest, content)
		c.link(digest, name)
	}
	return c
}

func (c *cache) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *cache) write(name string, content []byte) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(name)), 0o777); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(name), content, 0o666); err != nil {
		c.t.Fatal(err)
	}
}

// link makes a file of the snapshot, as huggingface_hub does: a relative link.
func (c *cache) link(blob, name string) {
	c.t.Helper()
	at := c.path(snapshot + "/" + name)
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		c.t.Fatal(err)
	}
	to := strings.Repeat("../", 2+strings.Count(name, "/")) + "blobs/" + blob
	if err := os.Symlink(filepath.FromSlash(to), at); err != nil {
		c.t.Skipf("no symbolic links here: %v", err)
	}
}

// judge returns what is found at a folder of the cache.
func (c *cache) judge(folder string) []located {
	c.t.Helper()
	dir := c.path(folder)
	return judge(c.t, store.Dir(dir), "", &check.Options{Data: true, Dir: dir})
}

// cacheable is what is in the cache of the tests.
func cacheable(t *testing.T) folder {
	f := make(folder)
	f.sharded(t, 2, 1, headed(plain)...)
	f.text("config.json", llamaConfig)
	f.text("original/params.json", "{}")
	return f
}

// targets are the folders of a cache that one may name.
var targets = []string{"", cached, snapshot}

func TestCacheIsSound(t *testing.T) {
	c := newCache(t, cacheable(t))
	for _, target := range targets {
		if found := c.judge(target); len(found) > 0 {
			t.Errorf("target %q: found %v", target, found)
		}
	}
}

// TestBlobs changes one byte of a blob, of weights and of a configuration.
func TestBlobs(t *testing.T) {
	for _, test := range []struct {
		name   string
		at     func(size int) int
		tensor bool // the byte is one of a tensor
	}{
		{shardTwo, func(size int) int { return size - 100 }, true},
		{"config.json", func(size int) int { return size - 2 }, false},
		{"original/params.json", func(int) int { return 1 }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := cacheable(t)
			c := newCache(t, f)
			content := append([]byte(nil), f[test.name]...)
			if test.tensor {
				content[test.at(len(content))] ^= 1
			} else {
				content = append(content[:test.at(len(content))], append([]byte(" "), content[test.at(len(content)):]...)...)
			}
			blob := sha256Of(f[test.name])
			kind := "SHA-256 " + sha256Of(content)
			if !test.tensor {
				blob, kind = gitBlob(f[test.name]), "git digest "+gitBlob(content)
			}
			c.write(cached+"/blobs/"+blob, content)
			for _, target := range targets {
				file := snapshot + "/" + test.name
				file = strings.TrimPrefix(strings.TrimPrefix(file, target), "/")
				if target != snapshot && !test.tensor { // a blob comes before the links to it
					file = strings.TrimPrefix(strings.TrimPrefix(cached+"/blobs/"+blob, target), "/")
				}
				find(t, c.judge(target), want{check.RuleBlobDigest, file, "", kind})
			}
		})
	}
}

// TestRefs judges references to what is not there, from every folder that has them.
func TestRefs(t *testing.T) {
	for _, test := range []struct{ ref, content, says string }{
		{"refs/main", strings.Repeat("a", 40), `"refs/main" names the snapshot "` + strings.Repeat("a", 40) + `", which has no files`},
		{"refs/pr/1", "", `"refs/pr/1" names the snapshot "", which has no files`},
		{"refs/main", "..\n", `"refs/main" names the snapshot "..", which has no files`},
		{"refs/main", revision[:39], `names the snapshot "` + revision[:39] + `"`},
		{"refs/v2", revision + "\n", ""},
	} {
		for _, target := range []string{"", cached} {
			c := newCache(t, cacheable(t))
			c.write(cached+"/"+test.ref, []byte(test.content))
			var wants []want
			if test.says != "" {
				file := strings.TrimPrefix(strings.TrimPrefix(cached+"/"+test.ref, target), "/")
				wants = []want{{check.RuleRefMissing, file, "", test.says}}
			}
			find(t, c.judge(target), wants...)
		}
	}
	// What only is called so is none, as of git.
	f := cacheable(t)
	f.text(".git/refs/heads/main", revision)
	f.text("refs/main", revision)
	find(t, judge(t, f.store(), "", nil))
	// Of a repository of which nothing else is left, the reference is.
	f["models--org--other/refs/main"] = []byte(revision)
	find(t, judge(t, f.store(), "", nil), want{check.RuleRefMissing, "models--org--other/refs/main", "", `"refs/main" names the snapshot "0123456789abcdef0123456789abcdef01234567", which has no files`})
}

// TestBlobWithoutLinks judges blobs of a store that cannot tell where links lead.
func TestBlobWithoutLinks(t *testing.T) {
	f := cacheable(t)
	good, bad := []byte("good"), []byte("bad")
	f["blobs/"+sha256Of(good)] = good
	f["blobs/"+sha256Of(bad)] = good
	f["blobs/"+gitBlob(good)] = good
	f["blobs/not-a-digest"] = good
	find(t, judge(t, f.store(), "", &check.Options{Data: true}),
		want{check.RuleBlobDigest, "blobs/" + sha256Of(bad), "", "but its name has another one: the file was damaged or changed after the download"})
}

// TestOneBlobIsReadOnce has a file in two snapshots.
func TestOneBlobIsReadOnce(t *testing.T) {
	c := newCache(t, cacheable(t))
	other := cached + "/snapshots/" + strings.Repeat("f", 40)
	entries, err := os.ReadDir(c.path(snapshot))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(c.path(other), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, err := os.Readlink(c.path(snapshot + "/" + e.Name()))
		if err != nil {
			continue // a folder
		}
		if err := os.Symlink(to, c.path(other+"/"+e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range c.judge(cached) {
		if l.Rule != checkpoint.RuleTwoCopies {
			t.Errorf("found %v", l)
		}
	}
}

// TestRecords judges what huggingface_hub wrote down of a local folder.
func TestRecords(t *testing.T) {
	for _, test := range []struct {
		name, record string
		wrong        bool
	}{
		{"right", "REV\n" + sha256Of([]byte("x")) + "\n1.5\n", true},
		{"of git", "REV\n" + gitBlob([]byte("x")) + "\n1.5\n", true},
		{"no digest", "REV\n\"abc-1\"\n1.5\n", false},
		{"too short", "REV\n", false},
		{"empty", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := make(folder)
			f.weights(t, "a/model.safetensors", headed(plain)...)
			f.text(".cache/huggingface/download/a/model.safetensors.metadata", test.record)
			var wants []want
			if test.wrong {
				wants = []want{{check.RuleDownloadDigest, "a/model.safetensors", "", `but ".cache/huggingface/download/a/model.safetensors.metadata"`}}
			}
			find(t, judge(t, f.store(), "", &check.Options{Data: true}), wants...)
		})
	}
}
