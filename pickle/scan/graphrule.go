// Rules about graphs and other formats that packages of their own analyze.

package scan

import (
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/onnx"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
)

// The rules about graphs.
const (
	RuleKerasCall   pickle.Rule = "keras-tensorflow-call"
	RuleKerasFile   pickle.Rule = "keras-file"
	RuleGraphOp     pickle.Rule = tfgraph.Rule
	RuleGraphCustom pickle.Rule = tfgraph.RuleCustom
	RuleONNXData    pickle.Rule = onnx.RuleData
	RuleONNXOp      pickle.Rule = onnx.RuleOp
	RuleONNXPython  pickle.Rule = onnx.RulePython
)
