// Checksums of whole objects in the headers of answers.

package fetch

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"github.com/weightools/safetensors/store"
)

// Checksums says how a store tells the checksums of its objects.
type Checksums struct {
	// Ask are the headers of a HEAD request for them, which is made when they are needed and
	// no answer contained one. nil means that no such request is made.
	Ask http.Header
	// Tag returns the MD5 in hexadecimal digits that an ETag contains, or "". nil means that
	// ETags contain none.
	Tag func(etag string, h http.Header) string
}

// sumFields are the headers with checksums of a whole object, the best first.
var sumFields = []struct {
	header, algorithm string
	decode            func(string) ([]byte, error)
}{
	{"X-Amz-Checksum-Sha256", "SHA-256", base64.StdEncoding.DecodeString},
	{"X-Checksum-Sha256", "SHA-256", hex.DecodeString}, // Artifactory
	{"X-Amz-Checksum-Sha1", "SHA-1", base64.StdEncoding.DecodeString},
	{"X-Ms-Blob-Content-Md5", "MD5", base64.StdEncoding.DecodeString},
	{"X-Amz-Checksum-Crc64nvme", "CRC64NVME", base64.StdEncoding.DecodeString},
	{"X-Amz-Checksum-Crc32c", "CRC32C", base64.StdEncoding.DecodeString},
	{"X-Amz-Checksum-Crc32", "CRC32", base64.StdEncoding.DecodeString},
}

// sumOf returns the checksum of the whole object that the headers of an answer contain, or
// nil.
func (c *Checksums) sumOf(h http.Header) *store.Sum {
	// A checksum of the checksums of parts would need their sizes.
	composite := strings.EqualFold(h.Get("X-Amz-Checksum-Type"), "COMPOSITE")
	for _, f := range sumFields {
		if composite && strings.HasPrefix(f.header, "X-Amz-") {
			continue
		}
		if value, err := f.decode(h.Get(f.header)); err == nil {
			if s := store.NewSum(f.algorithm, value); s != nil {
				return s
			}
		}
	}
	if s := listed(h.Values("Repr-Digest"), "sha-256", "SHA-256"); s != nil { // RFC 9530
		return s
	}
	// Google's checksums belong to the stored bytes, which may be compressed.
	if coding := h.Get("X-Goog-Stored-Content-Encoding"); coding == "" || strings.EqualFold(coding, "identity") {
		for _, key := range [][2]string{{"md5", "MD5"}, {"crc32c", "CRC32C"}} {
			if s := listed(h.Values("X-Goog-Hash"), key[0], key[1]); s != nil {
				return s
			}
		}
	}
	if c != nil && c.Tag != nil {
		if value, err := hex.DecodeString(c.Tag(h.Get("ETag"), h)); err == nil {
			return store.NewSum("MD5", value)
		}
	}
	return nil
}

// listed returns the checksum under a key of a list such as "crc32c=AAAAAA==,md5=…", or nil.
// RFC 9530 has the values between colons.
func listed(fields []string, key, algorithm string) *store.Sum {
	for one := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(one), "=")
		if !strings.EqualFold(name, key) {
			continue
		}
		if value, err := base64.StdEncoding.DecodeString(strings.Trim(text, ":")); err == nil {
			return store.NewSum(algorithm, value)
		}
	}
	return nil
}

// A sum is the checksum of a content, which is asked for once.
type sum struct {
	mu    sync.Mutex
	known *store.Sum
	asked bool
}

// get returns the checksum, or nil if it is not known.
func (s *sum) get() *store.Sum {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}
