// What is scanned and how, and what a verdict means.

// Package scan says whether code runs when a file is loaded: a verdict over all the
// parts that a model file has, and what it rests on.
//
// A file is what its bytes are, whatever it is called. A [Scanner] knows pickles,
// alone or one after another, what PyTorch has written since its first version,
// TorchScript, torch.package, what NumPy, joblib and Keras write, HDF5, serialized
// Java objects, archives and what is packed in them, and safetensors files. Where
// bytes are several of these at once, each is looked at: a file may be a pickle to one
// loader and an archive to another.
//
//	report, err := new(scan.Scanner).Scan(file, size, "model.pt")
//	if err != nil {
//		return err // the file could not be read
//	}
//	fmt.Println(report.Verdict, report.Complete)
//
// Nothing is unpickled, imported or run; pickles are judged by package pickle. A
// report says [pickle.Safe] only of what was seen completely: what is encrypted, or
// packed in a way that is not known here, or over a limit, is suspicious and not
// complete. Safe does not mean that a file is good for anything, and suspicious means
// that something in it has not been audited, and nothing more.
//
// Of an archive only its directory, its pickles and the first bytes of its other
// contents are read, so that a file on a server can be scanned where it is. What no
// loader runs, such as the numbers of tensors, is searched only with Scanner.Deep.
//
// Work and memory have budgets, which are counted and not timed: with the usual ones
// any file is judged in two seconds and 64 MiB. What is over them is not clean, and a
// finding says where they were spent.
//
// The same bytes give the same report. A Scanner may be used concurrently.
package scan
