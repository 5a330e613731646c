// Package scan reports whether loading a model file runs code.
//
// The format of a file is detected from its content; its name is only compared with it. A
// [Scanner] analyzes pickles (one or several in a row), PyTorch checkpoints of all
// versions, TorchScript, torch.package, NumPy, joblib, Keras and HDF5 files, serialized
// Java objects, archives, compressed data and safetensors files. A file that has several
// formats at once is analyzed as each of them: one loader may see a pickle where another
// sees an archive.
//
//	report, err := new(scan.Scanner).Scan(file, size, "model.pt")
//	if err != nil {
//		return err // the file could not be read
//	}
//	fmt.Println(report.Verdict, report.Complete)
//
// Nothing is unpickled, imported or executed; package pickle analyzes the pickles. The
// verdict is [pickle.Safe] only if all of the file was analyzed. A file that is encrypted,
// compressed in an unsupported way or over a limit is suspicious and incomplete. Suspicious
// does not mean malicious, only that something is unknown or was not analyzed.
//
// In an archive, Scan reads only the directory, the pickles and the first bytes of the
// other members, so a remote file can be scanned without downloading it completely. Data
// that no loader executes, such as tensor data, is searched only with Scanner.Deep.
//
// Work and memory have budgets, which are counted rather than timed: by default any file
// takes at most two seconds and 64 MiB. A finding reports where a budget was exhausted.
//
// The same bytes always give the same report. A Scanner may be used concurrently.
package scan
