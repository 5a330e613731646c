// Descriptors of layers and manifests, and the files that layers are.

package oci

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// sha256Prefix begins the digests that registries use.
const sha256Prefix = "sha256:"

// A descriptor describes a layer of an artifact, or a manifest of an index.
type descriptor struct {
	MediaType    string            `json:"mediaType"`
	ArtifactType string            `json:"artifactType"`
	Digest       string            `json:"digest"`
	Size         int64             `json:"size"`
	Annotations  map[string]string `json:"annotations"`
	Platform     struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
	} `json:"platform"`
}

// check returns an error if the digest or size of a descriptor is invalid. A digest becomes part of URLs.
func (d descriptor) check() error {
	digits, ok := strings.CutPrefix(d.Digest, sha256Prefix)
	switch b, err := hex.DecodeString(digits); {
	case !ok || err != nil || len(b) != sha256.Size || digits != strings.ToLower(digits):
		return fmt.Errorf("the digest %.80q is not \"sha256:\" and 64 hexadecimal digits", d.Digest)
	case d.Size < 0:
		return fmt.Errorf("%s has the size %d", d.Digest, d.Size)
	}
	return nil
}

func digestOf(text []byte) string {
	digest := sha256.Sum256(text)
	return sha256Prefix + hex.EncodeToString(digest[:])
}

// A layer is the descriptor of a layer.
type layer struct{ descriptor }

// A file is a file of an artifact: a layer, or a member of an archive.
type file struct {
	layer    layer
	isMember bool
	begin    int64 // offset in the layer
	size     int64
}
