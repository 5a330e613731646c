// Claims: digests in the metadata.

package metadata

import (
	"maps"
	"slices"
	"strings"
)

// A claim is a Claim before the file is read.
type claim struct {
	key, says string
	algo      string // of the data; "" for the legacy hash and for unknown algorithms
}

// The keys of sd-scripts.
const (
	keyModelHash  = "sshs_model_hash"
	keyLegacyHash = "sshs_legacy_hash"
	hashPrefix    = "modelspec.hash_"
)

// claimsOf returns the digests that metadata claims for its file. Some programs write an empty string if there
// is no digest.
func claimsOf(metadata map[string]string) (list []claim) {
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		c := claim{key: key, says: metadata[key]}
		algo, isSpec := strings.CutPrefix(key, hashPrefix)
		switch {
		case c.says == "" || c.says == "None":
			continue
		case key == keyModelHash:
			c.algo = "sha256"
		case isSpec && algorithms[algo] != nil:
			c.algo = algo
		case isSpec, key == keyLegacyHash:
		default:
			continue
		}
		list = append(list, c)
	}
	return list
}

// verify compares the claim with the digests of the file.
func (c *claim) verify(p *pass) Claim {
	j := Claim{Key: c.key, Says: c.says}
	switch {
	case c.key == keyLegacyHash:
		j.Of = "of 64 KiB of the file before its digests were added"
		if p.before < 0 || p.before > windowAt {
			// sd-scripts hashed a part of a header whose keys the reference
			// implementation writes in random order.
			j.Why = "the header was larger than 1 MiB, and part of the hashed bytes"
			return j
		}
		j.Is = sum(p.legacy)[:8]
	case c.algo == "":
		j.Why = "unknown algorithm"
		return j
	default:
		j.Of = "of everything after the header"
		j.Is = sum(p.data[c.algo])
	}
	said := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(c.says), "0x"), "0X"))
	const least = 8 // digits of a digest
	switch {
	case len(said) < least || len(said) > len(j.Is) || strings.Trim(said, "0123456789abcdef") != "":
		j.Why = "not a digest"
	case strings.HasPrefix(j.Is, said): // some programs write only its beginning
		j.Status = Verified
	default:
		j.Status = Mismatch
		j.Why = "the weights were changed after the digest was written, or its program hashed something else"
	}
	return j
}
