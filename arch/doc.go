// What headers and configurations prove of a model, and what is left open.

// Package arch tells what a model is: the name of its architecture, its sizes, and of
// an adapter its rank, what scales it and what it is for.
//
// Each fact says what proves it: headers, a configuration, or both. What headers and
// configuration say differently is Ambiguous, and so is what several tensors say
// differently; then a note says what each says, and the value is left out. There is
// no guess by name: a model whose configuration is not there has no architecture.
//
// Names, shapes and texts are strangers', and nothing here panics on them.
package arch
