// Distributed tensors, as one process saves them.

package torch

import (
	"errors"
	"strings"
	"testing"
)

func TestDistributedTensors(t *testing.T) {
	const placements = "torch.distributed.tensor.placement_types"
	shard := newObject(glob(placements, "Shard"), dict(str("dim"), num(1)))
	// spec is a spec whose class has slots, and one whose class has none.
	spec := func(state string) string {
		return newObject(glob("torch.distributed.tensor._dtensor_spec", "DTensorSpec"), state)
	}
	for _, k := range []struct{ what, class, spec, want string }{
		{"an attribute", "DTensor", spec(dict(str("placements"), tuple(shard))), "(DTensor), divided along dimension 1;"},
		{"a slot", "DTensor", spec("N" + dict(str("placements"), tuple(shard)) + "\x86"), "(DTensor), divided along dimension 1;"},
		{"two dimensions", "DTensor", spec(dict(str("placements"), tuple(shard, call(glob(placements, "Shard"), num(0))))), "divided along dimension 1 and dimension 0;"},
		{"a copy", "DTensor", spec(dict(str("placements"), tuple(call(glob(placements, "Replicate"))))), "(DTensor);"},
		{"no spec", "DTensor", num(3), "(DTensor);"},
		{"another class", "AffineQuantizedTensor", num(3), "a tensor of a class that stores its data elsewhere;"},
	} {
		made := call(glob("torch._tensor", "_rebuild_from_type_v2"), glob("torch._utils", "_rebuild_wrapper_subclass"),
			glob("torch.distributed.tensor", k.class), tuple(glob("torch.distributed.tensor", k.class), ints64(2, 3)),
			dict(str("_local_tensor"), vector("0", 3), str("_spec"), k.spec))
		b := archiveOf(t, dict(str("w"), made), "0", counting(3))
		_, err := Open(strings.NewReader(string(b)), int64(len(b)), nil)
		var fault *FormatError
		if !errors.As(err, &fault) || !strings.Contains(fault.Detail, k.want) {
			t.Errorf("%s: %v", k.what, err)
			continue
		}
		if joins := strings.HasPrefix(fault.Violation().Fix, "Join the parts"); joins != (k.class == "DTensor") {
			t.Errorf("%s: %s", k.what, fault.Violation().Fix)
		}
	}
}
