// Package pickle analyzes pickles without running them.
//
// Pickle is the format in which Python stores objects, and in which PyTorch, NumPy, scikit-learn and others store
// models. A pickle is not data but a program for a small stack machine. The program can import any name and call it
// with any arguments, so a file can run code on the machine that loads it, before the loader returns.
//
// # Analyzing pickles
//
// Analyze reads all pickles in a file and reports what loading them would import and call:
//
//	report, err := pickle.Analyze(file, size, nil)
//	if err != nil {
//		return err // the file could not be read
//	}
//	for _, im := range report.Imports {
//		fmt.Println(im.String(), im.Verdict, im.Why())
//	}
//
// The Verdict is Safe, Suspicious or Dangerous; Complete reports whether the whole file was analyzed. Safe means that
// every import is on the allow list, that each was used as its entry permits, and that the file contains nothing else.
// A name that is on no list is Suspicious. docs/pickle.md documents the lists and their order; a Policy adds to them.
//
// # Values
//
// Load also keeps the values: an inert graph in which an import is a pair of strings, and a call is a record of the
// callee and its arguments. That is sufficient to read the tensors of a checkpoint.
//
// # Opcodes
//
// Ops yields the instructions one by one. Disassemble prints them as Python's pickletools does, and annotates imports
// and calls.
//
// # Guarantees
//
// No input makes a function of this package panic, run code, or allocate memory in proportion to a claimed size.
// Options.MaxOpcodes limits the work and Options.MaxMemory the memory; there is no recursion on the input. The report
// depends only on the input and the options. All functions are safe for concurrent use, and so is reading a Graph.
package pickle

//go:generate go test -run TestPickleDoc . -update
