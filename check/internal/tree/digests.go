// Digests: files compared with the digests that the Hub's cache has for them.

package tree

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/hashing"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/hubcache"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// A Digest is the expected digest of a file, in hexadecimal digits.
type Digest struct {
	Want string
	Rule safetensors.Rule
	By   string // where it comes from, for messages
}

// blobOf returns the digest in the name of the blob to which a file of the Hub's cache links:
// snapshots/REVISION/FILE is a link to ../../blobs/DIGEST. A store does not show links; the local file system
// does.
func (r *Tree) blobOf(file string) (Digest, bool) {
	if r.Dir == "" {
		return Digest{}, false
	}
	to, err := os.Readlink(filepath.Join(r.Dir, filepath.FromSlash(file)))
	if err != nil {
		return Digest{}, false // not a link
	}
	to = filepath.ToSlash(to)
	name := path.Base(to)
	if path.Base(path.Dir(to)) != "blobs" || !hubcache.IsDigest(name) {
		return Digest{}, false
	}
	return Digest{name, rule.BlobDigest, "it links to the blob " + name}, true
}

// recordOf returns the digest in the record of a download that huggingface_hub keeps in a local folder: lines
// with the revision, the digest and the time. It is used for weights only, because people edit configurations.
func (r *Tree) recordOf(ctx context.Context, file string) (Digest, bool) {
	record := path.Join(r.Path, ".cache/huggingface/download", r.Below(file)+".metadata")
	if !r.Has(record) {
		return Digest{}, false
	}
	text, err := r.Head(ctx, record)
	if err != nil {
		return Digest{}, false
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 3 || !hubcache.IsDigest(strings.TrimSpace(lines[1])) {
		return Digest{}, false
	}
	want := strings.TrimSpace(lines[1])
	return Digest{want, rule.DownloadDigest, fmt.Sprintf("%s has %s", wording.Quote(record), want)}, true
}

// Expect returns the digest that a file of weights should have, if it is known.
func (r *Tree) Expect(ctx context.Context, file string) (Digest, bool) {
	if d, ok := r.blobOf(file); ok {
		return d, true
	}
	return r.recordOf(ctx, file)
}

// Check compares the digest of a file with the expected one.
func (r *Tree) Check(file string, size int64, d Digest, made hash.Hash) {
	got := hex.EncodeToString(made.Sum(nil))
	if got == d.Want {
		return
	}
	kind := "SHA-256"
	if len(got) == 2*sha1.Size {
		kind = "git digest"
	}
	r.Found(file).Add(d.Rule, "", safetensors.Span{End: size},
		"%s (%s) has the %s %s, but %s: the file was damaged or changed after the download",
		wording.Quote(path.Base(file)), wording.Count(size, "byte"), kind, got, d.By)
}

// JudgeBlobs checks the other files in the Hub's cache: links to blobs, and blobs without links. Those in done
// were checked with their tensors.
func (r *Tree) JudgeBlobs(ctx context.Context, done map[string]bool) {
	for _, file := range r.Names {
		d, ok := r.blobOf(file)
		if name := path.Base(file); !ok && path.Base(path.Dir(file)) == "blobs" && hubcache.IsDigest(name) {
			d, ok = Digest{name, rule.BlobDigest, "its name has another one"}, true
		}
		// A blob sorts before the links to it.
		if !ok || done[d.Want] {
			continue
		}
		done[d.Want] = true
		object, err := r.From.Open(ctx, file)
		if err != nil {
			r.Failed(file, err)
			continue
		}
		made := hashing.New(d.Want, object.Size())
		_, err = io.Copy(made, io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
		object.Close()
		err = cmp.Or(err, store.Unchanged(object))
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.Failed(file, err)
			continue
		}
		r.Check(file, object.Size(), d, made)
	}
}
