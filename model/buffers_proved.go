// Buffers that other tensors of their module show.

package model

import "github.com/weightools/safetensors/internal/parts"

// A proof is what the buffers of a module tell about its other tensors.
type proof uint8

const (
	runs     proof = 1 << iota // a batch norm
	counts                     // a batch norm that counts batches, as all do that can be trained
	averages                   // a codebook whose values are moving averages
	centers                    // the mean of data
	spreads                    // a scale
)

// proofs are the names of the buffers that prove something.
var proofs = map[string]proof{
	"running_mean": runs, "num_batches_tracked": counts, "embed_avg": averages, "embed_sum": averages,
	"cluster_size": averages, "mean": centers, "scale": spreads,
}

// prove finds the modules whose other tensors are buffers, too.
func (c *counter) prove() map[string]proof {
	var found map[string]proof
	for i := range c.entries {
		name := c.entries[i].Info.Name
		leaf := parts.Last(name)
		if p := proofs[leaf]; p != 0 {
			if found == nil {
				found = make(map[string]proof)
			}
			found[name[:len(name)-len(leaf)]] |= p
		}
	}
	return found
}

// isProved reports whether other tensors show that a tensor is a buffer: the weight and bias of a batch norm that
// is frozen (DETR and its kin), the values of a codebook, and the mean and scale of data (SpeechT5HifiGan). MLX counts
// no batches.
func (c *counter) isProved(e *entry) bool {
	if len(c.proved) == 0 {
		return false
	}
	leaf := parts.Last(e.Info.Name)
	p := c.proved[e.Info.Name[:len(e.Info.Name)-len(leaf)]]
	switch leaf {
	case "weight", "bias":
		return p&(runs|counts) == runs && c.Files[e.File].Header.Metadata["format"] != "mlx"
	case "embed":
		return p&averages != 0
	case "mean", "scale":
		return p&(centers|spreads) == centers|spreads
	}
	return false
}
