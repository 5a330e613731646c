// What a pickle is, why it is judged and not loaded, and what a judgement says.

// Package pickle takes pickle programs apart and judges them, and never runs
// them.
//
// A pickle is the format in which Python writes objects, and in which PyTorch,
// NumPy, scikit-learn and others write models. It is not data: it is a program
// for a small stack machine, and two of the things that the program can ask for
// are "import this name" and "call it with these arguments". A file can so start
// any program on the machine that loads it, before the loader returns.
//
// # Judging
//
// Analyze reads every pickle that a range of bytes holds and says what loading
// them would import and call:
//
//	report, err := pickle.Analyze(file, size, nil)
//	if err != nil {
//		return err // the file could not be read
//	}
//	for _, im := range report.Imports {
//		fmt.Println(im.String(), im.Verdict, im.Why())
//	}
//
// A Verdict is Safe, Suspicious or Dangerous, and beside it stands whether
// everything was seen. Names are allowed, not forbidden: what is on no list is
// Suspicious, which means that nobody has audited it, and nothing more. Safe
// means that every import is on the list of allowed names, that each was used as
// its rule says, and that the bytes hold nothing else. The order of judgement and
// the lists are in docs/pickle.md; a Policy adds to them.
//
// # Values
//
// Load does the same and keeps the values: an inert graph, in which an import is
// a pair of strings, and a call is a record of what would have been called with
// what. This is all that is needed to take tensors out of a checkpoint.
//
// # Opcodes
//
// Ops yields the opcodes one by one, and Disassemble prints them as Python's
// pickletools does, with imports and calls marked.
//
// # What is promised
//
// No function of this package panics on any input, runs anything that a file
// says, or allocates what a file claims. Work is counted and ends at
// Options.MaxOpcodes, memory at Options.MaxMemory, and nothing recurses on the input. The same
// bytes give the same report. All functions may be called concurrently; a Graph
// may be read by any number of goroutines.
package pickle

//go:generate go test -run TestPickleDoc . -update
