// What metadata claims of digests, and whether it is so.

package metadata

import (
	"maps"
	"slices"
	"strings"
)

// A claim is a Claim before the file was read.
type claim struct {
	key, says string
	algo      string // of the data; "" for the legacy hash, and for an algorithm that is not known
}

// The keys of sd-scripts.
const (
	keyModelHash  = "sshs_model_hash"
	keyLegacyHash = "sshs_legacy_hash"
	hashPrefix    = "modelspec.hash_"
)

// claimsOf returns what metadata claims of the file that it is in. An empty string
// claims nothing: writers put one where a digest would be.
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

// judge compares the claim with what was read.
func (c *claim) judge(p *pass) Claim {
	j := Claim{Key: c.key, Says: c.says}
	switch {
	case c.key == keyLegacyHash:
		j.Of = "of 64 KiB, as the file was before its digests were added"
		if p.before < 0 || p.before > windowAt {
			// sd-scripts hashed a part of a header whose keys the reference
			// implementation writes in random order.
			j.Why = "the header took more than a MiB, and was a part of it"
			return j
		}
		j.Is = sum(p.legacy)[:8]
	case c.algo == "":
		j.Why = "the algorithm is not known here"
		return j
	default:
		j.Of = "of all that follows the header"
		j.Is = sum(p.data[c.algo])
	}
	said := strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(c.says), "0x"), "0X"))
	const least = 8 // digits: what is shorter is no digest
	switch {
	case len(said) < least || len(said) > len(j.Is) || strings.Trim(said, "0123456789abcdef") != "":
		j.Why = "it is no digest"
	case strings.HasPrefix(j.Is, said): // some write no more than the start of it
		j.Verdict = Holds
	default:
		j.Verdict = Fails
		j.Why = "the weights were changed since it was written, or its writer hashed something else"
	}
	return j
}
