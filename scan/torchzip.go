// Checkpoints in zip archives: which contents are the numbers of tensors, and what
// else PyTorch writes beside them.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/internal/extent"
	"github.com/weightools/safetensors/internal/zipwalk"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torchfile"
)

// storage returns the key of the storage that a member of the given name holds, and
// false if it is none: if no pickle of the archive names it.
func (b *box) storage(name string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(strings.ToLower(name), strings.ToLower(b.folder))
	if !ok {
		return "", false
	}
	for _, folder := range [...]string{"data/", "constants/", ".data/", "xl_model_weights/"} {
		if key, ok := strings.CutPrefix(rest, folder); ok {
			key = strings.TrimSuffix(key, ".storage") // of torch.package
			return key, b.keys[key]
		}
	}
	return "", false
}

// storage looks at a part that is the numbers of tensors.
func (p *part) storage(head []byte) error {
	p.format = "storage"
	p.members++
	return p.numbers(extent.Span{End: p.size}, head)
}

// pickled takes note of the storages that a pickle names.
func (b *box) pickled(sub *part) func(*pickle.Graph) {
	return func(g *pickle.Graph) {
		storages, faults := torchfile.Storages(g)
		sub.faulty(faults)
		sub.faulty(torchfile.CheckTensors(g))
		for _, s := range storages {
			if key := strings.ToLower(s.Key); !b.keys[key] {
				b.keys[key] = true
				b.named = append(b.named, s)
			}
		}
	}
}

// record looks at a member for what it is to PyTorch.
func (b *box) record(m *zipwalk.Member, sub *part) error {
	name, _ := strings.CutPrefix(strings.ToLower(m.Name), strings.ToLower(b.folder))
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

// opaqueOrText says whether the part is of no format but text.
func (p *part) opaqueOrText() bool {
	return p.opaque() || p.format == "text" || p.format == "python-source" || p.format == "empty"
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
	missing := 0
	for _, s := range b.named {
		have, ok := b.sizes[strings.ToLower(s.Key)]
		switch want, known := s.Bytes(); {
		case !ok:
			if missing++; missing <= 3 {
				b.find(RuleStorageAway, 0, "the storage %s, of %d elements, is not in the archive", quoted(s.Key), s.Elements)
			}
		case known && want != have:
			b.find(torchfile.RuleStorageSize, 0, "the storage %s has %s by the pickle, and %s in the archive", quoted(s.Key), bytesOf(want), bytesOf(have))
		}
	}
}
