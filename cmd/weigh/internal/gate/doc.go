// The package.

// Package gate is what makes a gate of a check: which findings pass. A [Config]
// says so by rule, file and tensor, with a reason; a [Baseline] records those that
// were there when the gate was built.
//
// Nothing passes unseen. What is let pass is still a finding, with the reason why
// it is allowed, and is counted.
//
// Nothing here opens a file: texts come from the program, and findings from
// package render.
package gate
