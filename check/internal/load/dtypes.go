// Dtypes that programs do not read.

package load

import (
	"context"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
)

// unread are the dtypes that programs do not read.
var unread = map[loader.Name][]safetensors.Dtype{
	// conversion/base.py, LazyTorchTensor._dtype_str_map lacks them.
	loader.LlamaCPP: {safetensors.U16, safetensors.U32, safetensors.U64, safetensors.C64, safetensors.F8_E8M0,
		safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ, safetensors.F6_E2M3, safetensors.F6_E3M2, safetensors.F4},
	// The package safetensors 0.8.0 has no dtype of torch for them.
	loader.Transformers: {safetensors.F6_E2M3, safetensors.F6_E3M2},
	loader.VLLM:         {safetensors.F6_E2M3, safetensors.F6_E3M2},
	loader.SGLang:       {safetensors.F6_E2M3, safetensors.F6_E3M2},
	// mlx/io/safetensors.cpp, dtype_from_safetensor_str lacks them.
	loader.MLX: {safetensors.F64, safetensors.F8_E5M2, safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ,
		safetensors.F6_E2M3, safetensors.F6_E3M2, safetensors.F4},
	// comfy/utils.py, _TYPES lacks them.
	loader.ComfyUI: {safetensors.F8_E8M0, safetensors.F8_E4M3FNUZ, safetensors.F8_E5M2FNUZ, safetensors.F6_E2M3,
		safetensors.F6_E3M2, safetensors.F4},
}

// judgeDtypes reports the first tensor of a set whose dtype a program does not read.
func judgeDtypes(_ context.Context, m *Model) {
	if !m.Set.Counted() && !m.Single {
		return
	}
	for _, of := range m.For() {
		if of != loader.ComfyUI && !m.main() || of == loader.LlamaCPP && refusedByLlamaCPP(m) != "" && m.Quant != nil {
			continue
		}
		n, where := 0, Fault{Rule: rule.DtypeUnsupported}
		var dtype safetensors.Dtype
		for file, ti := range m.Tensors() {
			if !slices.Contains(unread[of], ti.Dtype) {
				continue
			}
			if n++; n == 1 {
				where.File, where.Tensor, where.Span, dtype = file, ti.Name, ti.Entry, ti.Dtype
			}
		}
		if dtype == safetensors.F64 && m.Index == nil {
			where.Fix = "Convert the tensors: `weigh edit FILE --cast F64=F32 -o NEW`."
		}
		if n > 0 {
			m.Add(where, m.For(of), "%s a dtype that it does not read, the first %s, which is %v", counted(n, "has", "have"),
				wording.Quote(where.Tensor), dtype)
		}
	}
}
