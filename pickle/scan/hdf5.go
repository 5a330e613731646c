// HDF5, the container of Keras before version 3.

package scan

import (
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
)

// hdf5Magic is the signature of HDF5, at offset 0 or, after a user block, at 512, 1024, 2048
// and so on.
const hdf5Magic = "\x89HDF\r\n\x1a\n"

// hdf5At returns the offset of an HDF5 file in the part, or -1. If the part has another
// format and its name does not promise HDF5, only the bytes that were read already are examined.
func (p *part) hdf5At() (int64, error) {
	most := p.size
	if p.formats > 0 && !promise.HDF5(p.name) || p.plain {
		most = bytesio.WindowSize / 2
	}
	for at := int64(0); at <= min(p.size, most); at = max(512, 2*at) {
		if ok, err := p.begins(at, hdf5Magic); ok || err != nil {
			return at, err
		}
	}
	return -1, nil
}
