// Keys of findings.

// Package alike decides which findings are merged into one.
package alike

import (
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// A Key is equal for findings that are merged: those with the same rule, severity, message format and arguments except
// numbers. Names are arguments, and so a dangerous one is never merged with a harmless one.
type Key struct {
	rule     string
	severity uint8
	format   string
	words    [4]any
}

// KeyOf returns the key of a finding with a message of format and args.
func KeyOf(rule string, severity uint8, format string, args []any) Key {
	k := Key{rule: rule, severity: severity, format: format}
	n := 0
	for _, arg := range args {
		switch arg.(type) {
		case string, opcode.Code, heap.Kind:
			if n < len(k.words) {
				k.words[n] = arg
				n++
			}
		}
	}
	return k
}
