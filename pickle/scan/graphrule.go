// Rules about graphs and other formats that packages of their own analyze.

package scan

import (
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/columnar"
	"github.com/weightools/safetensors/pickle/scan/internal/hdf5"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
	"github.com/weightools/safetensors/pickle/scan/internal/onnx"
	"github.com/weightools/safetensors/pickle/scan/internal/rdata"
	"github.com/weightools/safetensors/pickle/scan/internal/skops"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
	"github.com/weightools/safetensors/pickle/scan/internal/tflite"
)

// The rules about graphs.
const (
	RuleKerasCall   pickle.Rule = keras.RuleCall
	RuleKerasFile   pickle.Rule = keras.RuleFile
	RuleSkops       pickle.Rule = skops.Rule
	RuleGraphOp     pickle.Rule = tfgraph.Rule
	RuleGraphCustom pickle.Rule = tfgraph.RuleCustom
	RuleONNXData    pickle.Rule = onnx.RuleData
	RuleONNXOp      pickle.Rule = onnx.RuleOp
	RuleONNXPython  pickle.Rule = onnx.RulePython
	RuleTFLite      pickle.Rule = tflite.RuleCustom
	RuleArrowType   pickle.Rule = columnar.RuleType
	RuleArrowPickle pickle.Rule = columnar.RulePickle
	RuleHDF5File    pickle.Rule = hdf5.RuleFile
	RuleRPromise    pickle.Rule = rdata.RulePromise
	RuleRCode       pickle.Rule = rdata.RuleCode
)
