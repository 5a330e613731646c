// Checksums by the check values of their catalogs.

package store_test

import (
	"encoding/hex"
	"testing"

	"github.com/weightools/safetensors/store"
)

// TestSums has the checksums of "123456789": for CRCs the check values of the catalog of
// parametrised CRC algorithms (CRC-64/NVME, CRC-32/ISCSI, CRC-32/ISO-HDLC), for others what
// coreutils print.
func TestSums(t *testing.T) {
	for algorithm, want := range map[string]string{
		"CRC64NVME": "ae8b14860a799888",
		"CRC32C":    "e3069283",
		"CRC32":     "cbf43926",
		"MD5":       "25f9e794323b453885f5181f1b624d0b",
		"SHA-1":     "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
		"SHA-256":   "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
	} {
		value, _ := hex.DecodeString(want)
		s := store.NewSum(algorithm, value)
		if s == nil {
			t.Errorf("%s is unknown", algorithm)
			continue
		}
		h := s.New()
		h.Write([]byte("123456789"))
		if got := hex.EncodeToString(h.Sum(nil)); got != want || s.String() != algorithm+" "+want {
			t.Errorf("%s of 123456789 is %s, want %s; it prints as %s", algorithm, got, want, s)
		}
		if store.NewSum(algorithm, value[1:]) != nil {
			t.Errorf("%s of another length is accepted", algorithm)
		}
	}
	if store.NewSum("CRC16", []byte{1, 2}) != nil {
		t.Error("an unknown algorithm is accepted")
	}
}

// TestSumOfPart proves a part of a text whose digest is known: echo -n 123456789 | sha256sum.
func TestSumOfPart(t *testing.T) {
	value, _ := hex.DecodeString("15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225")
	s := store.NewSum("SHA-256", value).Within([]byte("12"), []byte("89"))
	for text, want := range map[string]bool{"34567": true, "34568": false, "": false, "345678": false} {
		h := s.New()
		h.Write([]byte("wrong"))
		h.Reset()
		for _, c := range []byte(text) {
			h.Write([]byte{c})
			h.Sum(nil) // does not change the state
		}
		if got := string(h.Sum(nil)) == string(s.Value); got != want {
			t.Errorf("%q is the part: %v", text, got)
		}
	}
}
