// Package gate decides which findings of a check are allowed. A [Config] allows findings by rule,
// file and tensor, with a reason. A [Baseline] records known findings.
//
// Allowed findings are still reported and counted. The package does not open files.
package gate
