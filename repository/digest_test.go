// Digests, by the calculation of others: git and sha256sum.

package repository_test

import (
	"crypto/sha256"
	"encoding/hex"
)

func sha256Of(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
