// The operators of ONNX.

package onnx

import "github.com/weightools/safetensors/pickle/scan/internal/wordset"

// opNames are the operators of all versions of ONNX 1.23, in the domains ai.onnx, ai.onnx.ml and
// ai.onnx.preview.training.
const opNames = `
Abs Acos Acosh Adagrad Adam Add AffineGrid And ArgMax ArgMin ArrayFeatureExtractor Asin Asinh Atan Atanh
Attention AveragePool BatchNormalization Bernoulli Binarizer BitCast BitShift BitwiseAnd BitwiseNot BitwiseOr
BitwiseXor BlackmanWindow Cast CastLike CastMap CategoryMapper CausalConvWithState Ceil Celu CenterCropPad
Clip Col2Im Compress Concat ConcatFromSequence Constant ConstantOfShape Conv ConvInteger ConvTranspose Cos
Cosh CumProd CumSum DFT DeformConv DepthToSpace DequantizeLinear Det DictVectorizer Div Dropout
DynamicQuantizeLinear Einsum Elu Equal Erf Exp Expand EyeLike FeatureVectorizer Flatten FlexAttention Floor
GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool GlobalLpPool GlobalMaxPool Gradient Greater
GreaterOrEqual GridSample GroupNormalization HammingWindow HannWindow HardSigmoid HardSwish Hardmax Identity
If ImageDecoder Imputer InstanceNormalization IsInf IsNaN LRN LSTM LabelEncoder LayerNormalization LeakyRelu
Less LessOrEqual LinearAttention LinearClassifier LinearRegressor Log LogSoftmax Loop LpNormalization LpPool
MatMul MatMulInteger Max MaxPool MaxRoiPool MaxUnpool Mean MeanVarianceNormalization MelWeightMatrix Min Mish
Mod Momentum Mul Multinomial Neg NegativeLogLikelihoodLoss NonMaxSuppression NonZero Normalizer Not OneHot
OneHotEncoder Optional OptionalGetElement OptionalHasElement Or PRelu Pad Pow QLinearConv QLinearMatMul
QuantizeLinear RMSNormalization RNN RandomNormal RandomNormalLike RandomUniform RandomUniformLike Range
Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
ReduceSumSquare RegexFullMatch Relu Reshape Resize ReverseSequence RoiAlign RotaryEmbedding Round STFT
SVMClassifier SVMRegressor Scaler Scan Scatter ScatterElements ScatterND Selu SequenceAt SequenceConstruct
SequenceEmpty SequenceErase SequenceInsert SequenceLength SequenceMap Shape Shrink Sigmoid Sign Sin Sinh Size
Slice Softmax SoftmaxCrossEntropyLoss Softplus Softsign SpaceToDepth Split SplitToSequence Sqrt Squeeze
StringConcat StringNormalizer StringSplit Sub Sum SwiGLU Swish Tan Tanh TensorScatter TfIdfVectorizer
ThresholdedRelu Tile TopK Transpose TreeEnsemble TreeEnsembleClassifier TreeEnsembleRegressor Trilu Unique
Unsqueeze Upsample Where Xor ZipMap
ATen Affine ConstantFill Crop DynamicSlice GRUUnit GivenTensorFill ImageScaler ParametricSoftplus Scale
ScaledTanh`

// operators is the set of these names. The last ones were experimental.
var operators = wordset.Of(opNames)

// isStandard reports whether a domain is one of ONNX.
func isStandard(domain string) bool {
	switch domain {
	case "", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "ai.onnx.training":
		return true
	}
	return false
}

// isRuntime reports whether ONNX Runtime defines the operators of a domain.
func isRuntime(domain string) bool {
	switch domain {
	case "com.microsoft", "com.microsoft.nchwc", "com.microsoft.experimental", "com.ms.internal.nhwc":
		return true
	}
	return false
}
