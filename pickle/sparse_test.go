package pickle

import (
	"slices"
	"testing"
)

// Positions in a sparse tensor that come from an array of the pickle lead anywhere: only torch.load compares them.
func TestSparseOfArrays(t *testing.T) {
	for _, from := range []string{"_rebuild_device_tensor_from_numpy", "_rebuild_xla_tensor"} {
		tensor := "ctorch._utils\n" + from + "\n(Nctorch\nfloat32\nX\x03\x00\x00\x00cpu\x89tR"
		for _, b := range []string{
			"ctorch._utils\n_rebuild_sparse_tensor\n(ctorch\nsparse_coo\n(" + tensor + tensor + "NttR.",
			"ctorch._utils\n_rebuild_nested_tensor\n(" + tensor + tensor + tensor + tensor + "tR.",
			"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_sparse_tensor\nctorch\nTensor\n" +
				"(ctorch\nsparse_coo\n(" + tensor + tensor + "tt}tR.",
		} {
			r := analyzed(t, []byte("\x80\x02"+b))
			if r.Verdict != Suspicious || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Rule == RuleCallArgs }) {
				t.Errorf("%q is %v: %v", b, r.Verdict, r.Findings)
			}
		}
	}
}
