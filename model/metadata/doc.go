// Package metadata describes the free-form "__metadata__" of a file for people.
//
//	for _, g := range metadata.Describe(header.Metadata) {
//		fmt.Println(g.Title)
//		for _, f := range g.Facts {
//			fmt.Printf("  %s: %q\n", f.Name, f.Value)
//		}
//	}
//
// The format allows any keys and values, as long as they are strings. Programs use the keys of ModelSpec
// ("modelspec.*"), of kohya-ss/sd-scripts and its many followers ("ss_*" and "sshs_*"), of PEFT and of
// ai-toolkit, and "format". [Describe] knows these keys, groups and names the facts, and splits values that are
// JSON. It returns unknown keys unchanged, and omits none.
//
// Digests in the metadata can be verified. [Hashes] computes the usual digests of a file in one pass, and
// compares them with the metadata.
//
// Metadata is untrusted. Values may have any length and any characters, including those that control a terminal
// or a browser. Escape and shorten them before showing them.
package metadata
