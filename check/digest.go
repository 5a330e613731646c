// Digests: files compared with the digests that the Hub's cache has for them.

package check

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
	"github.com/weightools/safetensors/internal/hubcache"
	"github.com/weightools/safetensors/store"
)

// A digest is the expected digest of a file, in hexadecimal digits.
type digest struct {
	want string
	rule safetensors.Rule
	by   string // where it comes from, for messages
}

// blobOf returns the digest in the name of the blob to which a file of the Hub's cache links:
// snapshots/REVISION/FILE is a link to ../../blobs/DIGEST. A store does not show links; the local file system
// does.
func (r *folder) blobOf(file string) (digest, bool) {
	if r.Dir == "" {
		return digest{}, false
	}
	to, err := os.Readlink(filepath.Join(r.Dir, filepath.FromSlash(file)))
	if err != nil {
		return digest{}, false // not a link
	}
	to = filepath.ToSlash(to)
	name := path.Base(to)
	if path.Base(path.Dir(to)) != "blobs" || !hubcache.IsDigest(name) {
		return digest{}, false
	}
	return digest{name, RuleBlobDigest, "it links to the blob " + name}, true
}

// recordOf returns the digest in the record of a download that huggingface_hub keeps in a local folder: lines
// with the revision, the digest and the time. It is used for weights only, because people edit configurations.
func (r *folder) recordOf(ctx context.Context, file string) (digest, bool) {
	record := path.Join(r.Path, ".cache/huggingface/download", r.Below(file)+".metadata")
	if !r.has(record) {
		return digest{}, false
	}
	text, err := r.head(ctx, record)
	if err != nil {
		return digest{}, false
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 3 || !hubcache.IsDigest(strings.TrimSpace(lines[1])) {
		return digest{}, false
	}
	want := strings.TrimSpace(lines[1])
	return digest{want, RuleDownloadDigest, fmt.Sprintf("%s has %s", quote(record), want)}, true
}

// expect returns the digest that a file of weights should have, if it is known.
func (r *folder) expect(ctx context.Context, file string) (digest, bool) {
	if d, ok := r.blobOf(file); ok {
		return d, true
	}
	return r.recordOf(ctx, file)
}

// check compares the digest of a file with the expected one.
func (r *folder) check(file string, size int64, d digest, made hash.Hash) {
	got := hex.EncodeToString(made.Sum(nil))
	if got == d.want {
		return
	}
	kind := "SHA-256"
	if len(got) == 2*sha1.Size {
		kind = "git digest"
	}
	r.found(file).Add(d.rule, "", safetensors.Span{End: size},
		"%s (%s) has the %s %s, but %s: the file was damaged or changed after the download",
		quote(path.Base(file)), count(size, "byte"), kind, got, d.by)
}

// judgeBlobs checks the other files in the Hub's cache: links to blobs, and blobs without links. Those in done
// were checked with their tensors.
func (r *folder) judgeBlobs(ctx context.Context, done map[string]bool) {
	for _, file := range r.Names {
		d, ok := r.blobOf(file)
		if name := path.Base(file); !ok && path.Base(path.Dir(file)) == "blobs" && hubcache.IsDigest(name) {
			d, ok = digest{name, RuleBlobDigest, "its name has another one"}, true
		}
		// A blob sorts before the links to it.
		if !ok || done[d.want] {
			continue
		}
		done[d.want] = true
		object, err := r.From.Open(ctx, file)
		if err != nil {
			r.failed(file, err)
			continue
		}
		made := hashing.New(d.want, object.Size())
		_, err = io.Copy(made, io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
		object.Close()
		err = cmp.Or(err, store.Unchanged(object))
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.failed(file, err)
			continue
		}
		r.check(file, object.Size(), d, made)
	}
}
