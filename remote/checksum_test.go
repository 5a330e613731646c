// Checksums that servers send of whole objects, as their documentation and RFC 9530 have them.

package remote_test

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"net/http"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// of returns the digest of content, in base64.
func of(h hash.Hash, content []byte) string {
	h.Write(content)
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func TestChecksums(t *testing.T) {
	content := pattern(100_000)
	md5Of, sha := of(md5.New(), content), of(sha256.New(), content)
	castagnoli := of(crc32.New(crc32.MakeTable(crc32.Castagnoli)), content)
	nvme := of(crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5)), content)
	hexOf := func(text string) string {
		b, _ := base64.StdEncoding.DecodeString(text)
		return hex.EncodeToString(b)
	}
	tag := `"` + hexOf(md5Of) + `"`
	for _, test := range []struct {
		name, ref   string
		get, head   string // header fields of the answers, separated by semicolons
		want        string // the algorithm, or ""
		headRefused bool
	}{
		{name: "nothing", ref: "http://web.example", want: ""},
		{name: "RFC 9530", ref: "http://web.example",
			get: "Repr-Digest: sha-512=:AAAA:, sha-256=:" + sha + ":", want: "SHA-256"},
		{name: "RFC 9530, of the content of a part", ref: "http://web.example",
			get: "Content-Digest: sha-256=:" + sha + ":", want: ""},
		{name: "Artifactory", ref: "http://web.example",
			get: "X-Checksum-Md5: " + hexOf(md5Of) + "; X-Checksum-Sha256: " + hexOf(sha), want: "SHA-256"},
		{name: "Azure", ref: "http://web.example", get: "X-Ms-Blob-Content-Md5: " + md5Of, want: "MD5"},
		{name: "an ETag of the web", ref: "http://web.example", get: "ETag: " + tag, want: ""},
		{name: "not base64", ref: "http://web.example", get: "Repr-Digest: sha-256=:!:", want: ""},
		{name: "too short", ref: "http://web.example", get: "Repr-Digest: sha-256=:AAAA:", want: ""},

		{name: "Google", ref: "gs://b",
			get: "X-Goog-Hash: crc32c=" + castagnoli + "; X-Goog-Hash: md5=" + md5Of, want: "MD5"},
		{name: "Google, in one field", ref: "gs://b",
			get: "X-Goog-Hash: crc32c=" + castagnoli + ",md5=" + md5Of, want: "MD5"},
		{name: "Google, composite", ref: "gs://b", get: "X-Goog-Hash: crc32c=" + castagnoli, want: "CRC32C"},
		{name: "Google, stored with gzip", ref: "gs://b",
			get: "X-Goog-Hash: crc32c=" + castagnoli + "; X-Goog-Stored-Content-Encoding: gzip", want: ""},

		{name: "S3, one part", ref: "s3://b", get: "ETag: " + tag, want: "MD5"},
		{name: "S3, one part, encrypted by S3", ref: "s3://b",
			get: "ETag: " + tag + "; X-Amz-Server-Side-Encryption: AES256", want: "MD5"},
		{name: "S3, one part, encrypted by KMS", ref: "s3://b",
			get: `ETag: "0123456789abcdef0123456789abcdef"; X-Amz-Server-Side-Encryption: aws:kms`, want: ""},
		{name: "S3, one part, encrypted by the user", ref: "s3://b",
			get: `ETag: "0123456789abcdef0123456789abcdef"; X-Amz-Server-Side-Encryption-Customer-Algorithm: AES256`, want: ""},
		{name: "S3, directory bucket", ref: "s3://b--use1-az4--x-s3",
			get: `ETag: "0123456789abcdef0123456789abcdef"`, want: ""},
		{name: "S3, parts", ref: "s3://b", get: `ETag: "0123456789abcdef0123456789abcdef-2"`, want: ""},
		{name: "S3, parts and a checksum", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "x-2"; X-Amz-Checksum-Type: FULL_OBJECT; X-Amz-Checksum-Crc64nvme: ` + nvme, want: "CRC64NVME"},
		{name: "S3, SHA-1", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "x-2"; X-Amz-Checksum-Sha1: ` + of(sha1.New(), content), want: "SHA-1"},
		{name: "S3, CRC32", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "x-2"; X-Amz-Checksum-Crc32: ` + of(crc32.NewIEEE(), content), want: "CRC32"},
		{name: "S3, the best", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "x-2"; X-Amz-Checksum-Crc32c: ` + castagnoli + "; X-Amz-Checksum-Sha256: " + sha, want: "SHA-256"},
		{name: "S3, checksum of checksums", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "x-2"; X-Amz-Checksum-Type: COMPOSITE; X-Amz-Checksum-Crc32c: ` + castagnoli, want: ""},
		{name: "S3, checksum of checksums without a type", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "x-2"; X-Amz-Checksum-Crc32c: ` + castagnoli + "-2", want: ""},
		{name: "S3, replaced", ref: "s3://b",
			get:  `ETag: "x-2"`,
			head: `ETag: "y-2"; X-Amz-Checksum-Crc64nvme: ` + nvme, want: ""},
		{name: "S3, HEAD refused", ref: "s3://b", get: `ETag: "x-2"`, headRefused: true, want: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fields := test.get
				if r.Method == http.MethodHead {
					if fields = test.head; test.headRefused || r.Header.Get("X-Amz-Checksum-Mode") != "ENABLED" {
						w.WriteHeader(http.StatusForbidden)
						return
					}
					w.Header().Set("Content-Length", fmt.Sprint(len(content)))
				}
				for field := range strings.SplitSeq(fields, "; ") {
					if name, value, ok := strings.Cut(field, ": "); ok {
						w.Header().Add(name, value)
					}
				}
				ranged(w, r, content)
			})
			inBubble(t, h, func(t *testing.T, b *bubble) {
				b.Env = remotetest.Env("AWS_ENDPOINT_URL=http://s3.example", "STORAGE_EMULATOR_HOST=gcs.example",
					"AWS_ACCESS_KEY_ID=a", "AWS_SECRET_ACCESS_KEY=b")
				checkSum(t, &b.Opener, test.ref, content, test.want)
			})
		})
	}
}

// checkSum opens an object, and reads its checksum twice.
func checkSum(t *testing.T, opener *remote.Opener, ref string, content []byte, want string) {
	o, err := open(t, opener, ref).Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	got := store.Checksum(t.Context(), o)
	if got == nil && want == "" {
		return
	}
	if got == nil || got.Algorithm != want {
		t.Fatalf("the checksum is %v, want %q", got, want)
	}
	h := got.New()
	h.Write(content)
	if string(h.Sum(nil)) != string(got.Value) {
		t.Errorf("the checksum is %v, and of the content it is %x", got, h.Sum(nil))
	}
	requests := opener.Meter.Cost().Requests
	if store.Checksum(t.Context(), o) != got || opener.Meter.Cost().Requests != requests {
		t.Error("asking for it again took a request")
	}
}

// TestFileName: what RFC 6266 and RFC 8187 have in Content-Disposition, and names that a
// server must not choose.
func TestFileName(t *testing.T) {
	for field, want := range map[string]string{
		``:                                 "",
		`inline`:                           "",
		`attachment; filename=model.bin`:   "model.bin",
		`attachment; filename="a b.bin"`:   "a b.bin",
		`Attachment; FileName="model.bin"`: "model.bin",
		`attachment; filename*=UTF-8''gr%C3%BCn.safetensors`: "grün.safetensors",
		`attachment; filename="../../etc/passwd"`:            "passwd",
		`attachment; filename="C:\\Windows\\a.bin"`:          "a.bin",
		`attachment; filename=".bashrc"`:                     "",
		`attachment; filename=".."`:                          "",
		`attachment; filename="a/"`:                          "",
		"attachment; filename=\"a\tb\"":                      "",
		`attachment; filename="CON:"`:                        "",
		`attachment; filename="` + strings.Repeat("x", 300):  "",
	} {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", field)
			ranged(w, r, []byte("x"))
		})
		inBubble(t, h, func(t *testing.T, b *bubble) {
			o, err := open(t, &b.Opener, "http://web.example").Open(t.Context(), "17")
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			if got := store.FileName(o); got != want {
				t.Errorf("%q names %q, want %q", field, got, want)
			}
		})
	}
}
