// The package.

// Package render is what the program has to say: a value for each thing that is
// said, with its text and its JSON.
//
// Both forms are made of one value, so that they cannot disagree. Nothing here
// opens a file or knows of a terminal: values are made of what other packages
// found, and a [typeset.Style] says how wide and how colourful their text may be.
//
// Whatever comes out of a file is hostile. Names reach the text through
// [typeset.Name] or one of its kin, which leave nothing in them that a terminal
// would act on.
package render
