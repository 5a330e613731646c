// The package, and what pins the module that the schema is taken from.

// Package sarifcheck validates the program's SARIF against the schema of the
// standard. It is a module of its own, run by itself:
//
//	go test -C cmd/weigh/internal/sarifcheck .
package sarifcheck

// The module has the schema of OASIS as a constant that it does not export.
// This import keeps it in go.mod; the test reads its source.
import _ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
