// The package's promise: what is described, what is verified, and what neither is.

// Package metadata says what the free-form "__metadata__" of a file means to
// people.
//
//	for _, g := range metadata.Describe(header.Metadata) {
//		fmt.Println(g.Title)
//		for _, f := range g.Facts {
//			fmt.Printf("  %s: %q\n", f.Name, f.Value)
//		}
//	}
//
// The format leaves it to writers what they put there, as long as keys and values
// are strings. In use are the keys of ModelSpec ("modelspec.*"), those of
// kohya-ss/sd-scripts and the many programs that follow it ("ss_*" and "sshs_*"),
// those of PEFT and of ai-toolkit, and "format". [Describe] knows these, puts facts
// in groups and names into words, and takes values that are JSON apart. A key that
// it does not know is told as it is: none is left out.
//
// Some of what is said can be checked. [Hashes] computes the digests by which
// people and programs know a file, in one pass over it, and compares those that the
// metadata claims.
//
// All that metadata says comes from whoever wrote the file. Values are of any length
// and have any characters, those among them that a terminal or a browser would act
// on: to escape and to shorten them is for who shows them.
package metadata
