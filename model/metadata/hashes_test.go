// Digests: as another program computes them, and hostile claims.

package metadata

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// trained is what a Python script makes of the definitions of sd-scripts, of which the
// essence is:
//
//	def save(data, metadata):
//	    head = {"__metadata__": dict(sorted(metadata.items())), "w": {"dtype": "U8", "shape": [len(data)], "data_offsets": [0, len(data)]}}
//	    text = json.dumps(head, separators=(",", ":")).encode()
//	    text += b" " * (-len(text) % 8)
//	    return struct.pack("<Q", len(text)) + text + data
//	def data_hash(b): return hashlib.sha256(b[8+int.from_bytes(b[:8], "little"):]).hexdigest()
//	def legacy(b): return hashlib.sha256(b[0x100000:0x110000]).hexdigest()[:8]
//	data = bytes(i % 251 for i in range(size))
//	ss = {"ss_a": "1", "ss_b": "x" * 100}
//	before = save(data, ss)
//	f = save(data, ss | {"modelspec.hash_sha256": "0x" + data_hash(before), "modelspec.hash_md5": "0x" + hashlib.md5(data).hexdigest(),
//	                     "sshs_legacy_hash": legacy(before), "sshs_model_hash": data_hash(before)})
//
// The sizes are below, at and above the window of the legacy hash: from 1 MiB on, 64 KiB.
var trained = []struct {
	size               int
	file, data, autoV1 string // sha256(f), data_hash(f), legacy(f)
	legacy, md5        string // legacy(before), md5(data)
}{
	{1000, "8c9484b9b09c8b355f7924bd6fa4073d3b2a2d30fc7a375ac1994f41f0d1c7bc", "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d", "e3b0c442", "e3b0c442", "a24f1e3ef66950e1327f210e3997ba2c"},
	{1048500, "b3575aa849a858ccf6511e31ff94ba5c09231ac33a0ff842e87c93cb60154285", "afc39bf88309ca01bd4cbdb9476786a6652cc3f9bf2e79ef3ea66eff541851ed", "9ee15f3f", "61fca9ad", "19d00c5afb00f8942829f7c4abb23b9b"},
	{1100000, "62d883aa63af3c08a72f40d8c5915e5044e2cfe62f37c46d17d2e76fc25c0b2e", "94186eaa25e1dd82949de5ebc5bb883ddd45fe7b146fe300f028e12c07658315", "8bc6da00", "58de8664", "7bc5dda70ee1fb973a8a772638e670b1"},
	{1300000, "4952abeb8ed8fafdaf7a4d7c3614245e78c72f9186d2bbfa0d4f75b8a8ac49e3", "4f5f7c67869d68c6216bf8927c53a2bd647a433708218ccd4096f0305d71c3fc", "8848c8a4", "b29b8856", "01088893679fcfd4e52ee39acdec2352"},
}

// trainedFile returns f.
func trainedFile(t *testing.T, size int, data, legacy, md5 string) []byte {
	t.Helper()
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i % 251)
	}
	w, err := safetensors.NewTensor("w", b, int64(size))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	e := safetensors.Encoder{Metadata: map[string]string{
		"ss_a": "1", "ss_b": strings.Repeat("x", 100), "modelspec.hash_sha256": "0x" + data, "modelspec.hash_md5": "0x" + md5,
		"sshs_legacy_hash": legacy, "sshs_model_hash": data,
	}}
	if err := e.Encode(&file, w); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// hashes returns the digests of a file.
func hashes(t *testing.T, file []byte) *Sums {
	t.Helper()
	h, err := safetensors.ReadHeader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := Hashes(h, bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func TestHashes(t *testing.T) {
	for _, tt := range trained {
		file := trainedFile(t, tt.size, tt.data, tt.legacy, tt.md5)
		got := hashes(t, file)
		if got.SHA256 != tt.file || got.Data != tt.data || got.AutoV1 != tt.autoV1 || got.AutoV2 != tt.file[:10] || got.AutoV3 != tt.data[:12] {
			t.Errorf("of %d bytes: %+v", tt.size, got)
		}
		var claims []string
		for _, c := range got.Claims {
			claims = append(claims, c.Key+" "+c.Is+" "+c.Status.String())
		}
		want := []string{
			"modelspec.hash_md5 " + tt.md5 + " verified", "modelspec.hash_sha256 " + tt.data + " verified",
			"sshs_legacy_hash " + tt.legacy + " verified", "sshs_model_hash " + tt.data + " verified",
		}
		if strings.Join(claims, "\n") != strings.Join(want, "\n") {
			t.Errorf("of %d bytes:\n%s\nwant\n%s", tt.size, strings.Join(claims, "\n"), strings.Join(want, "\n"))
		}
		// Weights that were changed are found out; metadata that was added is not in the way.
		file[len(file)-1]++
		for _, c := range hashes(t, file).Claims {
			// The legacy hash does not see the last byte of a file that ends before its
			// window, or after it.
			if want := c.Key == keyLegacyHash && (tt.size == 1000 || tt.size == 1_300_000); (c.Status == Verified) != want {
				t.Errorf("of %d bytes, changed: %s %s", tt.size, c.Key, c.Status)
			}
		}
	}
}

// claimed returns the verdicts on claims in a small file.
func claimed(t *testing.T, metadata map[string]string) []Claim {
	t.Helper()
	w, err := safetensors.NewTensor("w", []byte("abc"), 3)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := (&safetensors.Encoder{Metadata: metadata}).Encode(&file, w); err != nil {
		t.Fatal(err)
	}
	return hashes(t, file.Bytes()).Claims
}

// FIPS 180-4 has the digest of "abc" as its example.
func TestClaims(t *testing.T) {
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for _, tt := range []struct {
		key, says string
		want      Status
		why       string
	}{
		{"sshs_model_hash", abc, Verified, ""},
		{"sshs_model_hash", strings.ToUpper(abc), Verified, ""},
		{"sshs_model_hash", abc[:12], Verified, ""},
		{"sshs_model_hash", abc[:7], Unverified, "not a digest"},
		{"sshs_model_hash", abc + "00", Unverified, "not a digest"},
		{"sshs_model_hash", abc[:63] + "\x1b", Unverified, "not a digest"},
		{"sshs_model_hash", abc[:63] + "e", Mismatch, "the weights were changed after the digest was written, or its program hashed something else"},
		{"modelspec.hash_sha256", "0x" + abc, Verified, ""},
		{"modelspec.hash_sha256", abc, Verified, ""},
		{"modelspec.hash_md5", "0x900150983cd24fb0d6963f7d28e17f72", Verified, ""},          // RFC 1321, A.5
		{"modelspec.hash_sha1", "0xa9993e364706816aba3e25717850c26c9cd0d89d", Verified, ""}, // FIPS 180-4
		{"modelspec.hash_blake3", "0x00", Unverified, "unknown algorithm"},
		{"modelspec.hash_", "0x00", Unverified, "unknown algorithm"},
		{"sshs_legacy_hash", "e3b0c442", Verified, ""}, // SHA-256 of nothing: the file has no MiB
		{"sshs_legacy_hash", "00000000", Mismatch, "the weights were changed after the digest was written, or its program hashed something else"},
	} {
		got := claimed(t, map[string]string{tt.key: tt.says})
		if len(got) != 1 || got[0].Status != tt.want || got[0].Why != tt.why || got[0].Says != tt.says {
			t.Errorf("%s %q: %+v, want %s, %q", tt.key, tt.says, got, tt.want, tt.why)
		}
	}
	for _, key := range []string{"sshs_model_hash", "modelspec.hash_sha256"} {
		for _, says := range []string{"", "None"} {
			if got := claimed(t, map[string]string{key: says, "ss_sd_model_hash": abc, "hash": abc}); len(got) > 0 {
				t.Errorf("%s %q: %+v", key, says, got)
			}
		}
	}
}

// What sd-scripts hashed of a file with a very large header is not known.
func TestLegacyHashOfALargeHeader(t *testing.T) {
	got := claimed(t, map[string]string{"ss_tag_frequency": strings.Repeat("x", 1<<20), "sshs_legacy_hash": "e3b0c442"})
	if len(got) != 1 || got[0].Status != Unverified || got[0].Is != "" {
		t.Errorf("%+v", got)
	}
}

// ending is a file that is shorter than its size, or cannot be read to its end.
type ending struct {
	*bytes.Reader
	err error
}

func (e ending) ReadAt(b []byte, off int64) (int, error) {
	n, err := e.Reader.ReadAt(b, off)
	if err != nil {
		err = e.err
	}
	return n, err
}

func TestHashesOfWhatCannotBeRead(t *testing.T) {
	gone := errors.New("the disk is gone")
	for _, tt := range []struct{ err, want error }{{io.EOF, io.ErrUnexpectedEOF}, {nil, io.ErrUnexpectedEOF}, {gone, gone}} {
		_, err := Hashes(new(safetensors.Header), ending{bytes.NewReader(make([]byte, 3<<20)), tt.err}, 4<<20)
		if !errors.Is(err, tt.want) {
			t.Errorf("%v: %v, want %v", tt.err, err, tt.want)
		}
	}
}

// A header may be one that was made up, and a file shorter than it says.
func TestHashesOfNothing(t *testing.T) {
	for _, h := range []*safetensors.Header{{}, {Size: 1 << 40, Metadata: map[string]string{keyLegacyHash: "e3b0c442", keyModelHash: "e3b0c442"}}, {Size: 1<<63 - 1}} {
		sums, err := Hashes(h, bytes.NewReader(nil), 0)
		if err != nil || sums.AutoV2 != "e3b0c44298" || sums.AutoV3 != "e3b0c44298fc" {
			t.Errorf("%+v: %+v, %v", h, sums, err)
		}
	}
}
