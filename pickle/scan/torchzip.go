// PyTorch checkpoints in zip archives: tensor data, byte order and programs.

package scan

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// storage returns the name of the storage that a member contains, and false if no pickle of
// the archive refers to it.
func (b *box) storage(name string) (string, bool) {
	rest, ok := b.relative(name)
	rest = strings.TrimSuffix(rest, ".storage") // of torch.package
	return rest, ok && b.keys[rest]
}

// exported reports whether a member of a program of torch.export has the bytes of a tensor.
func (b *box) exported(name string) bool {
	rest, ok := b.relative(name)
	return ok && b.kind == "torch-export" && extensionOf(rest) == "" &&
		(strings.HasPrefix(rest, "data/weights/") || strings.HasPrefix(rest, "data/constants/"))
}

// storagesOf returns the folder of the storages that a pickle refers to: data/ for data.pkl,
// constants/ for TorchScript's constants.pkl, and .data/ for the pickles of torch.package.
// It returns false for other members.
func (b *box) storagesOf(name string) (folder string, ok bool) {
	rest, ok := b.relative(name)
	switch {
	case !ok || extensionOf(rest) != ".pkl":
		return "", false
	case b.kind == "torch-package":
		return ".data/", true
	case rest == "data.pkl" || rest == "constants.pkl":
		return strings.TrimSuffix(rest, ".pkl") + "/", true
	}
	return "", false
}

// pickled returns a function that records the storages of a pickle, which are in a folder.
func (b *box) pickled(sub *part, folder string) func(*pickle.Graph) {
	return func(g *pickle.Graph) {
		b.place(g, folder)
		storages, faults := torchfile.Storages(g)
		sub.faulty(faults)
		sub.faulty(torchfile.CheckTensors(g))
		for _, s := range storages {
			if name := folder + strings.ToLower(s.Key); !b.keys[name] {
				b.keys[name] = true
				b.named = append(b.named, namedStorage{name, s})
			}
		}
	}
}

// record examines a member that has a meaning for PyTorch or Keras.
func (b *box) record(m *zipwalk.Member, sub *part) error {
	name, _ := b.relative(m.Name)
	switch {
	case b.torch() && name == "byteorder":
		text, err := sub.At(0, 16)
		if err != nil {
			return err
		}
		b.bigEndian = string(text) == "big"
		if s := string(text); s != "little" && s != "big" {
			sub.Find(RuleByteOrder, 0, "the byte order is %s; it must be \"little\" or \"big\"", quoted(s))
		}
	case b.kind == "torchscript" && strings.HasPrefix(name, "code/"):
		return sub.foreign().TorchScript()
	case sub.isProgram():
		if sub.format != formatBytecode {
			sub.format = "python-source"
		}
		sub.Find(RulePythonSource, 0, "%s is Python source code, which runs if it is imported", quoted(m.Name))
	case b.kind == "keras" && name == "config.json":
		return sub.foreign().KerasConfig(false)
	case m.Name == "schema.json":
		return sub.foreign().Skops(b.kind == "skops")
	}
	return nil
}

// judgeKind reports findings that follow from the kind of the archive.
func (b *box) judgeKind() {
	if b.kind == "torchscript" {
		b.Find(RuleTorchScript, 0, "the archive contains TorchScript programs")
	}
	if b.torch() {
		b.storages()
	}
}

// storages compares the storages that pickles refer to with the members.
func (b *box) storages() {
	const most = 3 // that are reported: a checkpoint without its data has many
	missing := 0
	for _, s := range b.named {
		have, ok := b.sizes[s.name]
		switch want, known := s.Bytes(); {
		case !ok:
			if missing++; missing <= most {
				b.storageFault(RuleStorageAway, b.Cut, "the storage %s, of %s, is not in the archive", quoted(s.name),
					wording.Count(s.Elements, "element"))
			}
		case known && want != have:
			b.storageFault(torchfile.RuleStorageSize, b.cut == s.name,
				"the storage %s has %s in the pickle but %s in the archive", quoted(s.name), bytesOf(want), bytesOf(have))
		}
	}
}

// storageFault reports a disagreement between the pickles and the members, which may follow from the end of a file
// that is cut off.
func (b *box) storageFault(rule pickle.Rule, cut bool, format string, args ...any) {
	b.follow(pickle.Finding{Rule: rule, Severity: Severity(rule), Message: fmt.Sprintf(format, args...)}, cut)
}
