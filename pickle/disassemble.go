// Disassemble: a pickle as text.

package pickle

import "io"

// Disassemble writes the instructions of the size bytes behind r to w, as
// Python's pickletools does, and marks imports and calls. The error is of
// reading or of writing.
func Disassemble(w io.Writer, r io.ReaderAt, size int64, o *Options) error {
	for op, err := range Ops(r, size) {
		if err != nil {
			_, err = io.WriteString(w, err.Error()+"\n")
			return err
		}
		if _, err := io.WriteString(w, op.Code.String()+"\n"); err != nil {
			return err
		}
	}
	return nil
}
