// Storages: members of checkpoints that a pickle declares as tensor data.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/internal/codec"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/guess"
)

// formatStorage is the format of tensor data.
const formatStorage = "storage"

// storage examines a part that a pickle declares as tensor data, and that begins with head. Any
// pickle can declare any member, and another loader may read that member by its name, so it is
// analyzed like all others. Only for a name that PyTorch gives, and bytes with which no format
// begins, the first bytes are enough.
func (p *part) storage(head []byte) error {
	p.numeric = true
	p.plain = strings.Trim(strings.TrimSuffix(p.name, ".storage"), "0123456789") == ""
	if p.size > 0 && (!p.plain || !onlyNumbers(head)) {
		return p.look()
	}
	p.members++
	return p.tensorData()
}

// tensorData examines tensor data without another format. No loader treats it as code, so it is
// searched only if the scan is deep.
func (p *part) tensorData() error {
	p.format = formatStorage
	if !p.Deep {
		return nil
	}
	return p.Numbers(extent.Span{End: p.size}, nil)
}

// onlyNumbers reports whether neither a format nor a pickle begins with head.
func onlyNumbers(head []byte) bool {
	const enough = 16 // bytes, in which all magic numbers at the start of a file end
	if len(head) < enough || len(codec.Detect(head)) > 0 || guess.Starts(head) {
		return false
	}
	kind := filetype.DetectHead(head).Kind
	return kind == filetype.Unknown || kind == filetype.Zeros
}
