// Digests of a file, computed in one pass.

package metadata

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
)

// Sums are the digests of one file, in lower-case hexadecimal digits.
type Sums struct {
	// SHA256 is the digest of the whole file: the oid of Git LFS, which the Hugging Face Hub shows.
	SHA256 string

	// Data is the SHA-256 of everything after the header. Changes of the metadata do not affect it.
	Data string

	// AutoV1, AutoV2 and AutoV3 identify files in AUTOMATIC1111/stable-diffusion-webui and on Civitai: 8 digits
	// of the SHA-256 of 64 KiB from the first MiB on, or of no bytes if the file is shorter
	// (sd_models.model_hash); 10 digits of SHA256; and 12 digits of Data (hashes.addnet_hash_safetensors).
	AutoV1, AutoV2, AutoV3 string

	// Claims are the digests of this file in its metadata, in a fixed order.
	Claims []Claim
}

// A Status is the result of verifying a claim.
type Status int

// The results.
const (
	Unverified Status = iota // not verifiable: Claim.Why says why
	Verified
	Mismatch
)

// String returns the status in words.
func (s Status) String() string {
	switch s {
	case Verified:
		return "verified"
	case Mismatch:
		return "mismatch"
	}
	return "cannot be verified"
}

// A Claim is a digest in the metadata, and the actual one.
type Claim struct {
	Key    string
	Says   string // the claimed digest, unchanged
	Is     string // the actual digest, or "" if it cannot be computed
	Of     string // the hashed bytes, as the end of a sentence
	Status Status
	Why    string // why the claim cannot be verified, or possible reasons for a mismatch
}

// The window of AutoV1 and of kohya's legacy hash: 64 KiB from the first MiB on.
const windowAt, windowSize = 0x100000, 0x10000

// Hashes reads the file of the given size behind r once, from start to end, and returns its digests. It verifies
// the claims in the metadata of h, the file's header. The error is that r failed; to cancel, let r fail.
func Hashes(h *safetensors.Header, r io.ReaderAt, size int64) (*Sums, error) {
	p := &pass{file: sha256.New(), window: sha256.New(), legacy: sha256.New(),
		data: map[string]hash.Hash{"sha256": sha256.New()}}
	p.start = min(h.DataStart(), size)
	claims := claimsOf(h.Metadata)
	for _, c := range claims {
		if algo := c.algo; algo != "" && p.data[algo] == nil {
			p.data[algo] = algorithms[algo]()
		}
	}
	if slices.ContainsFunc(claims, func(c claim) bool { return c.key == keyLegacyHash }) {
		p.before = headBefore(h)
	}
	if err := p.read(r, size); err != nil {
		return nil, err
	}
	sums := &Sums{SHA256: sum(p.file), Data: sum(p.data["sha256"])}
	sums.AutoV1, sums.AutoV2, sums.AutoV3 = sum(p.window)[:8], sums.SHA256[:10], sums.Data[:12]
	for _, c := range claims {
		sums.Claims = append(sums.Claims, c.verify(p))
	}
	return sums, nil
}

// algorithms are the hashes of ModelSpec's keys "hash_…" that can be verified.
var algorithms = map[string]func() hash.Hash{"sha256": sha256.New, "sha512": sha512.New, "sha1": sha1.New,
	"md5": md5.New}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// headBefore returns where the data began when sd-scripts computed its hashes: in a file with the same tensors
// and only the metadata that begins with "ss_" (train_util.precalculate_safetensors_hashes). It is -1 if that
// header cannot be encoded.
func headBefore(h *safetensors.Header) int64 {
	then := safetensors.Header{Metadata: make(map[string]string), Tensors: h.Tensors}
	for k, v := range h.Metadata {
		if strings.HasPrefix(k, "ss_") {
			then.Metadata[k] = v
		}
	}
	head, err := then.AppendBinary(nil)
	if err != nil {
		return -1
	}
	return int64(len(head))
}

// A pass is the state of reading a file once.
type pass struct {
	start  int64     // where the data begins
	before int64     // where it began when sd-scripts computed its hashes
	file   hash.Hash // of the whole file
	window hash.Hash // of the window
	legacy hash.Hash // of the window before the digests were added
	data   map[string]hash.Hash
}

// read reads the file and updates all hashes in parallel.
func (p *pass) read(r io.ReaderAt, size int64) error {
	const chunk = 1 << 20 // bytes
	buf := make([]byte, min(size, chunk))
	for off := int64(0); off < size; off += int64(len(buf)) {
		buf = buf[:min(int64(len(buf)), size-off)]
		if n, err := r.ReadAt(buf, off); n < len(buf) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("metadata: read %d of %d bytes: %w", off+int64(n), size, err)
		}
		var hashes sync.WaitGroup
		write := func(h hash.Hash, begin, end int64) {
			if part := between(buf, off, begin, end); len(part) > 0 {
				hashes.Go(func() { h.Write(part) })
			}
		}
		write(p.file, 0, size)
		write(p.window, windowAt, windowAt+windowSize)
		write(p.legacy, windowAt+p.start-p.before, windowAt+p.start-p.before+windowSize)
		for _, h := range p.data {
			write(h, p.start, size)
		}
		hashes.Wait()
	}
	return nil
}

// between returns the part of b, read at off, that is between begin and end in the file.
func between(b []byte, off, begin, end int64) []byte {
	begin, end = max(begin-off, 0), min(end-off, int64(len(b)))
	if begin >= end {
		return nil
	}
	return b[begin:end]
}
