// Look-alikes: files that are neither code nor checkpoints, named for what they are.

package scan

import (
	"bytes"
	"path"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// A lookalike is a format that is found under the names of checkpoints.
type lookalike struct {
	format string
	offset int
	magic  string
	rule   pickle.Rule // what is reported, "" for nothing
	what   string
	closed bool // the contents are packed, so that nobody has seen them
}

// lookalikes are those that a few bytes tell.
var lookalikes = []lookalike{
	{"7z", 0, "7z\xbc\xaf\x27\x1c", Rule7z, "the bytes are a 7z archive: PyTorch does not read it, a loader of its own would", true},
	{"rar", 0, "Rar!\x1a\x07", RuleRAR, "the bytes are a RAR archive: PyTorch does not read it, a loader of its own would", true},
	{"zstd", 0, "\x28\xb5\x2f\xfd", RuleZstandard, "the bytes are packed by Zstandard", true},
	{"skippable-frame", 1, "\x2a\x4d\x18", RuleUnsupported, "the bytes begin with a frame that readers of LZ4 and of Zstandard skip", true},
	{"lzip", 0, "LZIP\x01", RuleUnsupported, "the bytes are packed by lzip", true},
	{"lzop", 0, "\x89LZO\x00\r\n\x1a\n", RuleUnsupported, "the bytes are packed by lzop", true},
	{"compress", 0, "\x1f\x9d\x90", RuleUnsupported, "the bytes are packed by compress", true},
	{"snappy", 0, "\xff\x06\x00\x00sNaPpY", RuleUnsupported, "the bytes are packed by Snappy", true},
	{"cab", 0, "MSCF\x00\x00\x00\x00", RuleUnsupported, "the bytes are a cabinet of Windows", true},
	{"xar", 0, "xar!\x00\x1c", RuleUnsupported, "the bytes are a xar archive", true},
	{"squashfs", 0, "hsqs", RuleUnsupported, "the bytes are a file system of Linux", true},
	{"pytorch-preview", 0, "PYTORCH1", RuleUnsupported, "the bytes are an archive of a preview of PyTorch 1.0, which no release reads", true},
	{"gguf", 0, "GGUF", "", "", false},
	{"tflite", 4, "TFL3", "", "", false},
	{"png", 0, "\x89PNG\r\n\x1a\n", "", "", false},
	{"jpeg", 0, "\xff\xd8\xff", "", "", false},
	{"gif", 0, "GIF8", "", "", false},
	{"pdf", 0, "%PDF-", "", "", false},
	{"parquet", 0, "PAR1", "", "", false},
	{"sqlite", 0, "SQLite format 3\x00", "", "", false},
	{"elf", 0, "\x7fELF", RuleUnsupported, "the bytes are a program or a library of Unix", false},
	{"windows-program", 0, "MZ\x90\x00", RuleUnsupported, "the bytes are a program or a library of Windows", false},
}

// named looks whether the part is one of these.
func (p *part) named(head []byte) error {
	for _, l := range lookalikes {
		if len(head) < l.offset || !bytes.HasPrefix(head[l.offset:], []byte(l.magic)) {
			continue
		}
		p.is(l.format)
		if l.rule == RuleZstandard {
			p.find(RuleCompressed, 0, "packed by Zstandard")
		}
		if l.rule != "" {
			p.find(l.rule, 0, "%s", l.what)
			if p.saysPickle() {
				p.find(RuleExtension, 0, "%s is called %s", l.format, quoted(p.name))
			}
		} else {
			p.lookalike(l.format)
		}
		if l.closed {
			p.unscanned(0, "%s is not opened", l.format)
			return nil // and what is stored in it as it is may be found: see rest
		}
		p.swept = true // it is of no use to search an image
		return nil
	}
	return p.text(head)
}

// texts are what texts begin with.
var texts = []struct{ prefix, format string }{
	{"version https://git-lfs.github.com/spec/", "lfs-pointer"},
	{"<!doctype html", "html"}, {"<html", "html"}, {"<?xml", "xml"},
}

// text looks whether the part is a text of a kind that is known.
func (p *part) text(head []byte) error {
	lower := bytes.ToLower(bytes.TrimLeft(head, "\ufeff \t\r\n"))
	for _, t := range texts {
		if !bytes.HasPrefix(lower, []byte(t.prefix)) || !config.IsText(head) {
			continue
		}
		p.is(t.format)
		p.swept = true
		if t.format == "lfs-pointer" {
			p.find(RuleLFSPointer, 0, "the file is a Git LFS pointer: the real file was not downloaded; run `git lfs pull`")
			p.incomplete("the real file was not downloaded")
		} else {
			p.lookalike(t.format)
		}
		return nil
	}
	return nil
}

// lookalike reports a part that is named like a checkpoint, and is none.
func (p *part) lookalike(format string) {
	if p.saysPickle() || extensionOf(p.name) == ".bin" {
		p.find(RuleLookAlike, 0, "%s is named like a checkpoint, and is %s", quoted(p.name), format)
	}
}

// unknown says what can be said of a part that is of no format that is known.
func (p *part) unknown(head []byte) error {
	if p.isYAML(head) {
		return p.yaml()
	}
	text := config.IsText(head)
	p.format = "data"
	if text {
		p.format = "text"
	}
	switch {
	case text && extensionOf(p.name) == ".py":
		p.format = "python-source"
	case !text && p.saysPacked():
		p.unscanned(0, "%s is named like something packed, and is of no format that is known", quoted(p.name))
	case p.saysPickle():
		p.find(pickle.RuleNotPickle, 0, "%s is named like a pickle, and is %s", quoted(p.name), map[bool]string{true: "a text", false: "of no format that is known"}[text])
		p.explain(0, p.size)
		return nil
	case extensionOf(p.name) == ".safetensors":
		p.find(RuleNotSafeTensor, 0, "%s is no safetensors file: weigh check says more", quoted(p.name))
	case text:
		p.explain(0, p.size)
		return nil
	}
	return p.opaqueData()
}

// opaqueData searches bytes that are nothing that is known. No loader would take them
// for code, so that to search the first of many is enough.
func (p *part) opaqueData() error {
	r, cut, err := p.search(extent.Span{End: p.size})
	if err != nil {
		return err
	}
	p.spend(min(p.size, p.mostSearch()) / 8)
	if err := p.graphNodes(); err != nil {
		return err
	}
	if cut {
		p.find(RulePartlySearched, 0, "of the %s the first %s were searched for pickles", bytesOf(p.size), bytesOf(p.mostSearch()))
	}
	p.hidden(r, 0)
	return nil
}

// extensionOf returns the extension of a name in lower case, with its dot.
func extensionOf(name string) string { return strings.ToLower(path.Ext(name)) }

// saysPickle says whether the name promises a pickle, or an archive with one.
func (p *part) saysPickle() bool {
	switch extensionOf(p.name) {
	case ".pkl", ".pickle", ".pck", ".pcl", ".p", ".dill", ".joblib", ".sav", ".pt", ".pth", ".ckpt":
		return true
	}
	return p.loaded
}

// saysPacked says whether the name promises something packed. Some formats have no magic
// of their own: Brotli, and what is encrypted.
func (p *part) saysPacked() bool {
	switch extensionOf(p.name) {
	case ".gz", ".bz2", ".xz", ".lzma", ".lz4", ".zst", ".zstd", ".z", ".br", ".lz", ".sz", ".7z", ".rar", ".zip", ".tgz", ".txz", ".tbz2", ".gpg", ".pgp", ".age", ".enc":
		return true
	}
	return false
}

// hidesPickle says whether a pickle under this name is a surprise. In an archive it is
// under any name that does not promise one; of a file on its own only if the name
// promises something else.
func (p *part) hidesPickle() bool {
	ext := extensionOf(p.name)
	switch ext {
	case ".txt", ".md", ".rst", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".csv", ".tsv", ".xml", ".html", ".py", ".sh", ".log",
		".png", ".jpg", ".jpeg", ".gif", ".pdf", ".wav", ".mp3", ".mp4",
		".safetensors", ".gguf", ".onnx", ".tflite", ".h5", ".hdf5", ".keras", ".npy", ".npz", ".parquet", ".zip", ".tar":
		return true
	case ".bin", ".model", ".dat", ".data", ".debug_pkl", ".mar":
		return false
	}
	return p.within != nil && p.within.holds && !p.saysPickle()
}
