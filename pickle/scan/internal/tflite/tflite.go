// Side effects of TensorFlow Lite models.

// Package tflite finds in TensorFlow Lite models the operators that a library must provide, and
// operations of TensorFlow that access files or call Python.
package tflite

import (
	"errors"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/flatbuf"
	"github.com/weightools/safetensors/pickle/scan/internal/tfgraph"
	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// The rules of this package.
const (
	RuleCustom pickle.Rule = "tflite-custom-op"
	RuleOp     pickle.Rule = tfgraph.Rule
)

// Is reports whether head is the beginning of a model.
func Is(head []byte) bool { return len(head) >= 8 && string(head[4:8]) == "TFL3" }

// Numbers of fields and values in the schema of TensorFlow Lite.
const (
	modelCodes     = 1 // fields of Model
	modelSubgraphs = 2
	modelBuffers   = 8 // external_buffer_groups
	codeOld        = 0 // fields of OperatorCode
	codeCustom     = 1
	codeBuiltin    = 3
	graphOperators = 3 // of SubGraph
	opCode         = 0 // fields of Operator
	opOptions      = 5
	custom         = 32 // values of BuiltinOperator
	stableHLOCall  = 173
	mostName       = 1000
	mostOptions    = 64 << 10
)

// ours are the custom operators that TensorFlow Lite and MediaPipe come with.
var ours = wordset.Of(`TFLite_Detection_PostProcess NumericVerify Mfcc AudioSpectrogram RFFT2D IRFFT2D
Convolution2DTransposeBias MaxPoolingWithArgmax2D MaxUnpooling2D TransformLandmarks TransformTensorBilinear
Landmarks2TransformMatrix Sin AssignVariable ReadVariable VarHandle AtanV2 ReduceWindowTFLITE odml.update_kv_cache
odml.scaled_dot_product_attention Roll Multinomial RandomUniform RandomStandardNormal HashtableV2 ROPE Erf Cumsum
ParseExample ParseExampleV2`)

// Analyze parses a model. If it is invalid, the report says so: readers may still find operators.
// Errors are evidence.ErrBudget and read errors.
func Analyze(file *flatbuf.File) (*evidence.Report, error) {
	r := &evidence.Report{Format: "tflite"}
	err := analyze(file, r)
	if errors.Is(err, flatbuf.ErrInvalid) {
		r.Incomplete = "the TensorFlow Lite model is damaged: " + err.Error()
		err = nil
	}
	return r, err
}

// analyze reports the operators of a model.
func analyze(file *flatbuf.File, r *evidence.Report) error {
	model, err := file.Root(0)
	if err != nil {
		return err
	}
	printing := make(map[int32]bool) // operators whose options say where they write
	n := int32(0)
	err = model.Tables(modelCodes, func(code flatbuf.Table) error {
		defer func() { n++ }()
		name, err := code.Text(codeCustom, mostName)
		if err != nil {
			return err
		}
		builtin, err := code.Int32(codeBuiltin)
		if err != nil {
			return err
		}
		old, err := code.Byte(codeOld)
		if err != nil {
			return err
		}
		if builtin == stableHLOCall {
			r.Find(RuleCustom, pickle.Warning, 0, "an operator calls a function of a library by StableHLO")
		}
		if name == "" || builtin != custom && old != custom {
			return nil
		}
		printing[n] = operator(r, name)
		return nil
	})
	if err != nil {
		return err
	}
	if err := model.Tables(modelBuffers, func(group flatbuf.Table) error {
		name, err := group.Text(0, mostName)
		if err == nil && evidence.Leaves(name) {
			r.Find(RuleCustom, pickle.Warning, 0, "the model reads tensors from %.200q, outside of its folder", name)
		}
		return err
	}); err != nil {
		return err
	}
	return options(model, r, printing)
}

// operator reports a custom operator. It returns true if its options must be examined.
func operator(r *evidence.Report, name string) bool {
	op, flex := strings.CutPrefix(name, "Flex")
	if !flex {
		if !ours()[name] {
			r.Find(RuleCustom, pickle.Warning, 0,
				"the operator %.100q is not part of TensorFlow Lite: a library must provide it", name)
		}
		return false
	}
	severity, what, known := tfgraph.Does(op)
	switch {
	case !known:
		r.Find(RuleCustom, pickle.Warning, 0, "the operator %.100q is not part of TensorFlow: a library must provide it", op)
	case op == "PrintV2":
		return true
	case what != "":
		r.Find(RuleOp, severity, 0, "a TensorFlow Lite model contains the operation %s of TensorFlow, which %s", op, what)
	}
	return false
}

// options reports operators that print to files. Their options contain a node of TensorFlow.
func options(model flatbuf.Table, r *evidence.Report, printing map[int32]bool) error {
	return model.Tables(modelSubgraphs, func(graph flatbuf.Table) error {
		return graph.Tables(graphOperators, func(op flatbuf.Table) error {
			code, err := op.Int32(opCode)
			if err != nil || !printing[code] {
				return err
			}
			text, err := op.Text(opOptions, mostOptions)
			if strings.Contains(text, "file://") {
				r.Find(RuleOp, pickle.Error, 0,
					"a TensorFlow Lite model contains the operation PrintV2 of TensorFlow, which writes files")
			}
			return err
		})
	})
}
