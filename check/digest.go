// Digests of files, made of the reads by which their tensors are counted.

package check

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
)

// A digest is what that of a file should be, in hexadecimal digits, and who says so.
type digest struct {
	want string
	rule safetensors.Rule
	by   string // where it is written
}

// hash returns the hash by which the digest of a file of so many bytes is made:
// SHA-256, or git's SHA-1 of a blob, which begins with its kind and its size. nil if
// it is none of these.
func (d *digest) hash(size int64) hash.Hash {
	switch len(d.want) {
	case 2 * sha256.Size:
		return sha256.New()
	case 2 * sha1.Size:
		h := sha1.New()
		fmt.Fprintf(h, "blob %d\x00", size)
		return h
	}
	return nil
}

// isDigest says whether a name is that of a blob: the digest of a large file, or the
// one that git has for a small one.
func isDigest(name string) bool {
	return (len(name) == 2*sha256.Size || len(name) == 2*sha1.Size) && strings.Trim(name, "0123456789abcdef") == ""
}

// blobOf returns the digest by the name of the blob that a file of the Hub's cache
// leads to: snapshots/REVISION/FILE is a link to ../../blobs/DIGEST. Only the local
// file system tells where a link leads.
func (r *repository) blobOf(file string) (digest, bool) {
	if r.opts.Dir == "" {
		return digest{}, false
	}
	to, err := os.Readlink(filepath.Join(r.opts.Dir, filepath.FromSlash(file)))
	if err != nil {
		return digest{}, false // no link
	}
	to = filepath.ToSlash(to)
	name := path.Base(to)
	if path.Base(path.Dir(to)) != "blobs" || !isDigest(name) {
		return digest{}, false
	}
	return digest{name, RuleBlobDigest, "the blob that it leads to is called " + name}, true
}

// recordOf returns the digest by the record that huggingface_hub keeps of what it
// fetched to a local folder: lines with a revision, the digest, and the time. It is
// of use for weights alone: people change configurations, and do not change weights.
func (r *repository) recordOf(ctx context.Context, file string) (digest, bool) {
	below := strings.TrimPrefix(strings.TrimPrefix(file, r.path), "/")
	record := path.Join(r.path, ".cache/huggingface/download", below+".metadata")
	if !r.has(record) {
		return digest{}, false
	}
	text, err := r.head(ctx, record)
	if err != nil {
		return digest{}, false
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 3 || !isDigest(strings.TrimSpace(lines[1])) {
		return digest{}, false
	}
	want := strings.TrimSpace(lines[1])
	return digest{want, RuleDownloadDigest, fmt.Sprintf("%s says %s", quote(record), want)}, true
}

// expect returns the digest that a file of weights should have, if anything tells.
func (r *repository) expect(ctx context.Context, file string) (digest, bool) {
	if d, ok := r.blobOf(file); ok {
		return d, true
	}
	return r.recordOf(ctx, file)
}

// check compares a digest that was made with the one that should be.
func (r *repository) check(file string, size int64, d digest, made hash.Hash) {
	got := hex.EncodeToString(made.Sum(nil))
	if got == d.want {
		return
	}
	kind := "SHA-256"
	if len(got) == 2*sha1.Size {
		kind = "git digest"
	}
	r.found(file).Add(d.rule, "", safetensors.Span{End: size}, "%s, of %s, has the %s %s, and %s: its bytes are not those that were to be fetched",
		quote(path.Base(file)), count(size, "byte"), kind, got, d.by)
}

// judgeBlobs judges what the Hub's cache has besides weights: files that are links to
// blobs, and blobs to which none leads. Those in done were judged with their tensors.
func (r *repository) judgeBlobs(ctx context.Context, done map[string]bool) {
	for _, file := range r.names {
		d, ok := r.blobOf(file)
		if name := path.Base(file); !ok && path.Base(path.Dir(file)) == "blobs" && isDigest(name) {
			d, ok = digest{name, RuleBlobDigest, "it is called so"}, true
		}
		// A blob comes before the links to it, by name. Those lead to others.
		if !ok || done[d.want] {
			continue
		}
		done[d.want] = true
		object, err := r.from.Open(ctx, file)
		if err != nil {
			r.failed(file, err)
			continue
		}
		made := d.hash(object.Size())
		_, err = io.Copy(made, io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
		object.Close()
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

// A digester is a reader of a file that digests what is read, once and in order.
// Several goroutines may read at once; each waits until all before its bytes was
// digested, and while one digests, the others read and count. So reads have to go
// through the file from its start to its end, each byte once.
type digester struct {
	from io.ReaderAt
	hash hash.Hash

	mu   sync.Mutex
	turn sync.Cond // at or err has changed
	at   int64     // how many bytes are digested
	err  error     // why no more will be
}

func newDigester(from io.ReaderAt, h hash.Hash) *digester {
	d := &digester{from: from, hash: h}
	d.turn.L = &d.mu
	return d
}

// ReadAt implements io.ReaderAt.
func (d *digester) ReadAt(b []byte, off int64) (int, error) {
	n, err := d.from.ReadAt(b, off)
	short := n < len(b)
	d.mu.Lock()
	defer d.mu.Unlock()
	for !short && d.at != off && d.err == nil {
		d.turn.Wait()
	}
	switch {
	case short && d.err == nil:
		d.err = fmt.Errorf("read %d bytes of %d at %d: %w", n, len(b), off, err)
	case !short && d.err == nil:
		d.hash.Write(b) // with the lock: it is nobody else's turn
		d.at += int64(len(b))
	case !short:
		return 0, d.err
	}
	d.turn.Broadcast()
	return n, err
}
