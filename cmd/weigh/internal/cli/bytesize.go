// Sizes in bytes, with units.

package cli

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
)

// A ByteSize is a flag value in bytes, written as 5GB, 1.5GiB or 5000000000. Fractions are rounded
// down to bytes as huggingface_hub does, so shards end where its shards end.
type ByteSize int64

// String returns the number of bytes.
func (b *ByteSize) String() string { return fmt.Sprint(int64(*b)) }

// Type implements pflag.Value.
func (b *ByteSize) Type() string { return "size" }

// Set parses a number with an optional unit.
func (b *ByteSize) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > 1<<62 {
		return errors.New("not a number of bytes") // FlagError replaces this text
	}
	*b = ByteSize(n)
	return nil
}
