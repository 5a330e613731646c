// Verification: tensors read again after they were written.

package shards

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/internal/filecopy"
)

// A Proof says how a tensor that was written was compared with its source. "" means
// that it was not.
type Proof string

// The proofs.
const (
	// ByBytes: its bytes equal the source, which was read again.
	ByBytes Proof = "bytes"

	// ByDigest: it has the SHA-256 of the bytes that were read when it was written.
	// Remote sources are verified so, without a second download.
	ByDigest Proof = "sha256"

	// ByCRC32: it has the checksum that the source's container stores for it; see
	// [Writer].CRC32.
	ByCRC32 Proof = "crc32"
)

// A verification is the result of verifying one tensor.
type verification struct {
	proof  Proof
	sha256 [sha256.Size]byte // zero unless digests were asked for
}

// verifyTensor compares a tensor as it was written with its source. It reports the
// bytes that it reads to read, in parts.
func (o *output) verifyTensor(
	ctx context.Context, was, is *safetensors.Tensor, read func(int64),
) (verification, error) {
	var v verification
	var err error
	var sum hash.Hash
	if o.digests {
		sum = sha256.New()
	}
	var crc uint32
	hasCRC := false
	if o.crc32 != nil {
		crc, hasCRC = o.crc32(was)
	}
	seen, _ := was.ReaderAt.(*compare.Witness)
	switch {
	case hasCRC:
		v.proof, err = ByCRC32, verifyCRC32(ctx, was, is, crc, sum, read)
	case seen.IsOf(was.Size()):
		if sum == nil {
			sum = sha256.New()
		}
		v.proof, err = ByDigest, verifyDigest(ctx, seen, is, sum, read)
	default:
		v.proof, err = ByBytes, verifyBytes(ctx, was, is, sum, read)
	}
	if err == nil && o.digests {
		sum.Sum(v.sha256[:0])
	}
	return v, err
}

// verifyBytes compares all bytes. It adds them to sum, unless that is nil.
func verifyBytes(ctx context.Context, was, is *safetensors.Tensor, sum hash.Hash, read func(int64)) error {
	at, err := compare.First(ctx, was, is, was.Size(), func(part []byte) {
		if sum != nil {
			sum.Write(part)
		}
		read(int64(len(part)))
	})
	if err == nil && at >= 0 {
		err = fmt.Errorf("byte %d differs from the source: the source has changed since, or the disk is faulty", at)
	}
	return err
}

// verifyDigest compares the digests of the bytes that were read and of the bytes on the
// disk.
func verifyDigest(ctx context.Context, was *compare.Witness, is *safetensors.Tensor, sum hash.Hash,
	read func(int64)) error {
	if _, err := is.WriteTo(filecopy.Watch(ctx, sum, read)); err != nil {
		return err
	}
	if !was.Saw(sum.Sum(nil)) {
		return fmt.Errorf("the bytes on the disk differ from those that were written: the disk is faulty")
	}
	return nil
}

// verifyCRC32 compares a checksum. If it differs, it compares all bytes, to tell a damaged
// source from a damaged copy.
func verifyCRC32(ctx context.Context, was, is *safetensors.Tensor, want uint32, sum hash.Hash,
	read func(int64)) error {
	crc := crc32.NewIEEE()
	var w io.Writer = crc
	if sum != nil {
		w = io.MultiWriter(crc, sum)
	}
	if _, err := is.WriteTo(filecopy.Watch(ctx, w, read)); err != nil || crc.Sum32() == want {
		return err
	}
	if err := verifyBytes(ctx, was, is, nil, func(int64) {}); err != nil {
		return err
	}
	return &ChecksumError{Tensor: was.Name, Got: crc.Sum32(), Want: want}
}

// A ChecksumError says that the bytes of a tensor do not have the checksum that its
// container stores for them: the source is damaged.
type ChecksumError struct {
	Tensor    string
	Got, Want uint32
}

// Error describes the mismatch in one line.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("its CRC-32 is %08x, and the archive stores %08x: the source is damaged", e.Got, e.Want)
}
