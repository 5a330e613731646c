// What the names of files promise.

package scan

import (
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
)

// extensionOf returns the extension of a name in lower case, with its dot.
func extensionOf(name string) string { return promise.Extension(name) }

// saysPickle reports whether the name promises a pickle or an archive that contains one.
func (p *part) saysPickle() bool { return promise.Pickle(p.name) || p.loaded }

// unpickled reports whether a loader unpickles the part by its name. A file that the user names may
// be one of another format that torch.load or joblib.load reads.
func (p *part) unpickled() bool {
	ext := extensionOf(p.name)
	return p.loaded || p.within != nil && p.within.holds && !p.holds && !p.packed && p.format != "npy" &&
		(ext == ".pkl" || ext == ".pickle")
}

// hidesPickle reports whether a pickle under this name is suspicious: in an archive, under any
// name that does not promise one; otherwise, under a name that promises something else.
func (p *part) hidesPickle() bool {
	if other, sure := promise.Other(p.name); sure {
		return other
	}
	return p.within != nil && p.within.holds && !p.saysPickle()
}

// Lookalike reports a part that is named like a checkpoint but is not one.
func (p *part) Lookalike(format string) {
	if p.saysPickle() || extensionOf(p.name) == ".bin" {
		p.Find(RuleLookAlike, 0, "%s is named like a checkpoint but is %s", quoted(p.name), format)
	}
}

// promised reports a part whose name promises a pickle but whose format is another.
func (p *part) promised(kind filetype.Kind) {
	if p.saysPickle() {
		p.Find(RuleExtension, 0, "%s is %s but is named like a pickle", quoted(p.name), kind.Name())
	}
}
