// Open, for remote.Opener.Buckets.

package bucket

import (
	"fmt"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// Open returns the store of an s3, gs or r2 ref. It is meant for remote.Opener.Buckets. It makes
// no request.
func Open(s *fetch.Shared, ref store.Ref) (store.Store, error) {
	switch ref.Scheme {
	case "s3", "r2":
		return openS3(s, ref)
	case "gs":
		return openGCS(s, ref)
	}
	return nil, fmt.Errorf("remote: %s: scheme %q is not the scheme of a bucket", ref, ref.Scheme)
}
