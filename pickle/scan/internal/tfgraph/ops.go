// The operations of TensorFlow, and which of them do more than compute.

package tfgraph

import (
	_ "embed" // for the list of operations
	"strings"
	"sync"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// opNames are the names of all operations of TensorFlow 2.21, one on a line. The program
// testdata/ops.py writes them.
//
//go:embed ops.txt
var opNames string

// operations is the set of these names, with operations of programs that came with other versions of TensorFlow.
var operations = wordset.Of(opNames, "TRTEngineOp CreateTRTResourceHandle InitializeTRTResource GetCalibrationDataOp")

// A hazard is a side effect of some operations.
type hazard struct {
	ops      string // their names
	how      how
	severity pickle.Severity
	what     string   // the end of a sentence
	paths    []int    // the inputs that name files
	attrs    []string // the attributes that name files or addresses
}

// A how says when an operation does it.
type how uint8

const (
	always     how = iota
	writes         // unless the user of the model names the file
	reads          // the same, or the file is an asset of the model
	byAttr         // if one of the attributes is not empty
	unanalysed     // it contains a program in another language
)

// table lists the operations that do more than compute.
var table = [...]hazard{
	{ops: "PyFunc PyFuncStateless EagerPyFunc", severity: pickle.Error, what: "calls Python"},
	{ops: "WriteFile", severity: pickle.Error, what: "writes files"},
	{ops: "SaveV2 Save SaveSlices", how: writes, severity: pickle.Error, what: "writes files", paths: []int{0}},
	{ops: "MergeV2Checkpoints", how: writes, severity: pickle.Error, what: "writes and deletes files", paths: []int{0, 1}},
	{ops: "DistributedSave SaveDataset SaveDatasetV2 DatasetToTFRecord ExperimentalDatasetToTFRecord", how: writes,
		severity: pickle.Error, what: "writes files", paths: []int{1}},
	{ops: "SnapshotDataset SnapshotDatasetV2", how: writes, severity: pickle.Error, what: "writes files",
		paths: []int{1}},
	{ops: "CacheDataset CacheDatasetV2", how: writes, severity: pickle.Error, what: "writes files", paths: []int{1}},
	{ops: "CreateSummaryFileWriter CreateSummaryDbWriter DumpTensor CalibrationStatisticsSaver",
		severity: pickle.Error, what: "writes files"},
	{ops: "SqlDataset ExperimentalSqlDataset", severity: pickle.Error, what: "runs SQL, which can write files"},
	{ops: "LoadLibrary", severity: pickle.Error, what: "loads libraries"},
	{ops: "DatasetFromGraph", severity: pickle.Error, what: "runs another graph, which is a tensor"},
	{ops: "RpcServer RpcServerRegister RpcServerStart", severity: pickle.Error,
		what: "offers functions to other computers"},
	{ops: "PrintV2", how: byAttr, severity: pickle.Error, what: "writes files", attrs: []string{"output_stream"}},
	{ops: "DebugIdentity DebugIdentityV2 DebugIdentityV3 DebugNanCount DebugNumericSummary DebugNumericSummaryV2",
		how: byAttr, severity: pickle.Error, what: "writes tensors to files or other computers",
		attrs: []string{"debug_urls"}},
	{ops: "Copy CopyHost", how: byAttr, severity: pickle.Error, what: "writes tensors to files or other computers",
		attrs: []string{"debug_ops_spec"}},

	{ops: "WriteSummary WriteScalarSummary WriteHistogramSummary WriteImageSummary WriteAudioSummary " +
		"WriteGraphSummary WriteRawProtoSummary ImportEvent", severity: pickle.Warning, what: "writes to a log"},
	{ops: "ReadFile", how: reads, severity: pickle.Warning, what: "reads files", paths: []int{0}},
	{ops: "RestoreV2 Restore RestoreSlice DTensorRestoreV2 LoadAndRemapMatrix", how: reads, severity: pickle.Warning,
		what: "reads files", paths: []int{0}},
	{ops: "GenerateVocabRemapping", how: reads, severity: pickle.Warning, what: "reads files", paths: []int{0, 1}},
	{ops: "InitializeTableFromTextFile InitializeTableFromTextFileV2", how: reads, severity: pickle.Warning,
		what: "reads files", paths: []int{1}},
	{ops: "TextLineDataset TFRecordDataset TFRecordDatasetV2 FixedLengthRecordDataset FixedLengthRecordDatasetV2 " +
		"LMDBDataset ExperimentalLMDBDataset CSVDataset CSVDatasetV2 ExperimentalCSVDataset MatchingFiles " +
		"MatchingFilesDataset ExperimentalMatchingFilesDataset LoadDataset ListSnapshotChunksDataset " +
		"SnapshotDatasetReader SnapshotChunkDataset", how: reads, severity: pickle.Warning, what: "reads files",
		paths: []int{0}},
	{ops: "WholeFileReader WholeFileReaderV2 TextLineReader TextLineReaderV2 TFRecordReader TFRecordReaderV2 " +
		"FixedLengthRecordReader FixedLengthRecordReaderV2 LMDBReader", severity: pickle.Warning, what: "reads files"},
	{ops: "ImmutableConst", how: byAttr, severity: pickle.Warning, what: "reads files",
		attrs: []string{"memory_region_name"}},
	{ops: "FixedUnigramCandidateSampler", how: byAttr, severity: pickle.Warning, what: "reads files",
		attrs: []string{"vocab_file"}},
	{ops: "Skipgram", how: byAttr, severity: pickle.Warning, what: "reads files", attrs: []string{"filename"}},
	{ops: "RecordInput", how: byAttr, severity: pickle.Warning, what: "reads files", attrs: []string{"file_pattern"}},
	{ops: "DecodeProtoV2 EncodeProto", how: byAttr, severity: pickle.Warning, what: "reads files",
		attrs: []string{"descriptor_source"}},
	{ops: "DataServiceDataset DataServiceDatasetV2 DataServiceDatasetV3 DataServiceDatasetV4 RegisterDataset " +
		"RegisterDatasetV2 RpcClient RpcCall RemoteCall RemoteFusedGraphExecute", severity: pickle.Warning,
		what: "connects to other computers"},
	{ops: "FileSystemSetConfiguration", severity: pickle.Warning, what: "changes the access to files"},
	{ops: "XlaCustomCall XlaCustomCallV2", severity: pickle.Warning, what: "calls a function of a library"},
	{ops: "Abort", severity: pickle.Warning, what: "ends the program"},

	{ops: "XlaCallModule", how: unanalysed, what: "a StableHLO program"},
	{ops: "MlirPassthroughOp _TPUCompileMlir _XlaHostComputeMlir", how: unanalysed, what: "an MLIR program"},
	{ops: "TRTEngineOp InitializeTRTResource", how: unanalysed, what: "a TensorRT engine"},
}

// hazards are the entries of the table by operation.
var hazards = sync.OnceValue(func() map[string]*hazard {
	ops := make(map[string]*hazard)
	for i := range table {
		for name := range strings.FieldsSeq(table[i].ops) {
			ops[name] = &table[i]
		}
	}
	return ops
})

// Hazard returns the first operation that a text names and that writes files or runs code, or "".
func Hazard(text string) string {
	for i := range table {
		if table[i].severity != pickle.Error {
			continue
		}
		for name := range strings.FieldsSeq(table[i].ops) {
			if strings.Contains(text, name) {
				return name
			}
		}
	}
	return ""
}

// Does returns the side effect of an operation, "" if it has none, and whether TensorFlow has
// the operation. Operations that access files count, whoever names the file.
func Does(op string) (severity pickle.Severity, what string, known bool) {
	if h := hazards()[op]; h != nil {
		return h.severity, h.what, true
	}
	return 0, "", operations()[op]
}

// harmless reports whether the value of an attribute names neither a file nor an address.
func harmless(value string) bool {
	switch value {
	case "", "stdout", "stderr", "log(info)", "log(warning)", "log(error)", "local://":
		return true
	}
	return strings.HasPrefix(value, "bytes://")
}

// passing are the operations by which programs that save models make file names of others.
var passing = wordset.Of(`Identity StringJoin ShardedFilename Pack Concat ConcatV2 ExpandDims Squeeze Reshape Select
SelectV2 StridedSlice StaticRegexFullMatch RegexFullMatch NoOp MergeV2Checkpoints Slice Fill ShardedFilespec`)

// given are the operations whose value the user of a model gives.
var given = wordset.Of("Placeholder PlaceholderV2 _Arg")

// outside reports whether a constant part of a file name leads out of the folder of the model.
// Programs that save join the name of a folder and "/part".
func outside(s string) bool {
	if s == "/" || strings.HasPrefix(s, "/part") {
		s = s[1:]
	}
	return strings.Contains(s, "..") || evidence.Leaves(s)
}
