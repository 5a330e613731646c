// Checkpoints in zip archives: which contents are the numbers of tensors, and what
// else PyTorch writes beside them.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
)

// storage returns the name under which a storage is known that a member holds, and false
// if it is none: if no pickle of the archive names it.
func (b *box) storage(name string) (string, bool) {
	rest, ok := b.relative(name)
	rest = strings.TrimSuffix(rest, ".storage") // of torch.package
	return rest, ok && b.keys[rest]
}

// storagesOf returns where the storages are that a pickle names: those of data.pkl in
// data/, those of TorchScript's constants.pkl in constants/, and those of torch.package,
// which has many pickles, in .data/. No other pickle names any that is loaded.
func (b *box) storagesOf(name string) (folder string, ok bool) {
	rest, ok := b.relative(name)
	switch {
	case !ok || extensionOf(rest) != ".pkl":
		return "", false
	case b.kind.format == "torch-package":
		return ".data/", true
	case rest == "data.pkl" || rest == "constants.pkl":
		return strings.TrimSuffix(rest, ".pkl") + "/", true
	}
	return "", false
}

// storage looks at a part that is the numbers of tensors.
func (p *part) storage(head []byte) error {
	p.format = "storage"
	p.members++
	return p.numbers(extent.Span{End: p.size}, head)
}

// pickled takes note of the storages that a pickle names, which are in a folder.
func (b *box) pickled(sub *part, folder string) func(*pickle.Graph) {
	return func(g *pickle.Graph) {
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

// record looks at a member for what it is to PyTorch.
func (b *box) record(m *zipwalk.Member, sub *part) error {
	name, _ := b.relative(m.Name)
	switch {
	case b.torch() && name == "byteorder":
		text, err := sub.at(0, 16)
		if err != nil {
			return err
		}
		if s := string(text); s != "little" && s != "big" {
			sub.find(RuleByteOrder, 0, "the byte order is %s, and can be \"little\" or \"big\"", quoted(s))
		}
	case b.kind != nil && b.kind.format == "torchscript" && strings.HasPrefix(name, "code/"):
		return sub.script()
	case extensionOf(name) == ".py" && sub.opaqueOrText():
		sub.format = "python-source"
		sub.find(RulePythonSource, 0, "%s is Python source, which runs if it is imported", quoted(m.Name))
	case b.kind != nil && b.kind.format == "keras" && name == "config.json":
		return sub.kerasConfig()
	}
	return nil
}

// scriptHazards are what programs of TorchScript name that read or write files, or
// run what is not PyTorch's.
var scriptHazards = []string{"from_file", "aten::save", "torch.save", "aten::load", "torch.load", "torch.ops.load_library"}

// script looks at a program of TorchScript.
func (p *part) script() error {
	p.format = "torchscript-code"
	const most = 4 << 20
	text := make([]byte, min(p.size, most))
	if n, err := p.file.ReadAt(text, 0); n < len(text) {
		return err
	}
	var found []string
	for _, word := range scriptHazards {
		if strings.Contains(string(text), word) {
			found = append(found, word)
		}
	}
	if len(found) > 0 {
		p.find(RuleTorchScript, 0, "the program uses %s, which reach files or what is not PyTorch's", strings.Join(found, ", "))
	}
	if p.size > most {
		p.unscanned(most, "the program is longer than the %d bytes that are searched", most)
	}
	return nil
}

// judgeKind reports what follows from the kind of archive.
func (b *box) judgeKind() {
	if b.kind == nil {
		return
	}
	if b.kind.format == "torchscript" {
		b.find(RuleTorchScript, 0, "the archive has programs in TorchScript, PyTorch's own language")
	}
	if b.torch() {
		b.storages()
	}
}

// storages compares the storages that pickles name with those that are there.
func (b *box) storages() {
	const most = 3 // that are told to be missing: a checkpoint without its numbers has many
	missing := 0
	for _, s := range b.named {
		have, ok := b.sizes[s.name]
		switch want, known := s.Bytes(); {
		case !ok:
			if missing++; missing <= most {
				b.find(RuleStorageAway, 0, "the storage %s, of %d elements, is not in the archive", quoted(s.name), s.Elements)
			}
		case known && want != have:
			b.find(torchfile.RuleStorageSize, 0, "the storage %s has %s by the pickle, and %s in the archive", quoted(s.name), bytesOf(want), bytesOf(have))
		}
	}
}
