// Checksums that stores have recorded.

package store

import (
	"context"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
)

// A Sum is a checksum of an object that its store has recorded, in one of the algorithms that
// stores use. Some of them, such as MD5, detect damage but not forgery.
type Sum struct {
	Algorithm string // "SHA-256", "SHA-1", "MD5", "CRC64NVME", "CRC32C" or "CRC32"
	Value     []byte // in big-endian order

	whole         *Sum // of a larger object, of which this one is a part; else nil
	before, after []byte
}

// Within returns the checksum of a part of an object whose checksum is s: the part between these bytes. The hash covers
// all of them.
func (s *Sum) Within(before, after []byte) *Sum {
	return &Sum{Algorithm: s.Algorithm + " of all of its archive", Value: s.Value, whole: s, before: before, after: after}
}

// A framed hash is that of a part and of the bytes around it.
type framed struct {
	hash.Cloner
	of *Sum
}

// Reset implements [hash.Hash].
func (f *framed) Reset() {
	f.Cloner.Reset()
	f.Write(f.of.before)
}

// Sum implements [hash.Hash].
func (f *framed) Sum(b []byte) []byte {
	h, err := f.Clone()
	if err != nil {
		panic(err) // no hash of the standard library that New returns
	}
	h.Write(f.of.after)
	return h.Sum(b)
}

// NewSum returns a Sum, or nil if the algorithm is unknown or has values of another length.
func NewSum(algorithm string, value []byte) *Sum {
	s := &Sum{Algorithm: algorithm, Value: value}
	if h := s.New(); h == nil || h.Size() != len(value) {
		return nil
	}
	return s
}

// New returns a hash of the algorithm, or nil if it is unknown.
func (s *Sum) New() hash.Hash {
	if s.whole != nil {
		h, ok := s.whole.New().(hash.Cloner)
		if !ok {
			return nil
		}
		f := &framed{h, s}
		f.Reset()
		return f
	}
	switch s.Algorithm {
	case "SHA-256":
		return sha256.New()
	case "SHA-1":
		return sha1.New()
	case "MD5":
		return md5.New()
	case "CRC64NVME":
		return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5))
	case "CRC32C":
		return crc32.New(crc32.MakeTable(crc32.Castagnoli))
	case "CRC32":
		return crc32.NewIEEE()
	}
	return nil
}

// String returns the algorithm and the value in hexadecimal digits.
func (s *Sum) String() string { return fmt.Sprintf("%s %x", s.Algorithm, s.Value) }

// Checksum returns a checksum of the whole object that its store has recorded, or nil. It
// prefers the digest of [SHA256]. It may take a request, and returns nil if that fails: a
// checksum is an additional test. Objects opt in with a method Checksum(context.Context) *Sum.
func Checksum(ctx context.Context, o Object) *Sum {
	if digest, ok := SHA256(o); ok {
		return &Sum{Algorithm: "SHA-256", Value: digest[:]}
	}
	if o, ok := o.(interface{ Checksum(context.Context) *Sum }); ok {
		return o.Checksum(ctx)
	}
	return nil
}
