// Package filetype recognizes files by their content and says what to do with them.
//
// Weights are often not what their names promise: a file called model.safetensors may
// be a PyTorch checkpoint, a Git LFS pointer, an HTML login page or a JPEG image.
// [Detect] reads the first bytes of a file, and of a zip archive its directory, and
// returns its [Type]:
//
//	t, err := filetype.Detect(f, size)
//	fmt.Println(t)        // a Git LFS pointer to 4,976,698,672 bytes with the oid sha256:4d7a…
//	fmt.Println(t.Advice) // Run `git lfs pull` in its repository to download the real file.
//
// The package never runs or unpacks anything, reads at most 130 KB of a file, and
// depends on the standard library only.
package filetype

//go:generate go test -run ^TestDocument$ -update .
