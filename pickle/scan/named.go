// Formats that this package does not analyze, named by package filetype.

package scan

import (
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/scan/internal/kinds"
	"github.com/weightools/safetensors/pickle/scan/internal/picture"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
	"github.com/weightools/safetensors/pickle/scan/internal/texts"
)

// named reports a part of one of the other kinds.
func (p *part) named() error {
	t := p.detected
	rule, packed := kinds.Closed[t.Kind]
	switch {
	case p.plain && t.Kind == filetype.Compress: // two bytes, with which numbers begin by chance
	case packed:
		p.Is(string(t.Kind))
		if t.Kind == filetype.Zstandard {
			p.Find(RuleCompressed, 0, "the data is %s", t)
		}
		p.Find(rule, 0, "the file is %s, which is not opened", t)
		p.promised(t.Kind)
		p.Unscanned(0, "%s is not opened", t)
		return nil // rest searches it: members may be stored uncompressed
	case t.Kind == filetype.LFSPointer || t.Kind == filetype.XetPointer || t.Kind == filetype.LinkText:
		p.Is(string(t.Kind))
		p.Find(RuleLFSPointer, 0, "the file is %s; the real file was not downloaded", t)
		p.incomplete("the real file was not downloaded")
		p.swept = true
	case picture.Has(t.Kind):
		return p.picture(t)
	case kinds.Unread[t.Kind] != "":
		p.Is(string(t.Kind))
		p.Lookalike(t.Kind.Name())
		if kinds.Unread[t.Kind] == kinds.MachineCode {
			p.promised(t.Kind)
		}
		p.Unanalysed("it is %s; %s is not analyzed", t, kinds.Unread[t.Kind])
		p.swept = true
	}
	return nil
}

// mostStoredText is the size up to which tensor data that begins like a text is read as one.
const mostStoredText = 64 << 10

// unknown analyzes a part of an unknown format.
func (p *part) unknown(head []byte) error {
	if p.plain {
		return p.tensorData()
	}
	text := texts.Is(head)
	kind := p.detected.Kind
	if kinds.Detected[kind] {
		kind = filetype.Unknown
		if text {
			kind = filetype.Text
		}
	}
	p.format = string(kind)
	switch {
	case p.numeric && (!text || p.size > mostStoredText):
		return p.tensorData()
	case !text && promise.Packed(p.name):
		p.Unscanned(0, "%s is named like a compressed file but is %s", quoted(p.name), kind.Name())
	case p.saysPickle():
		p.Find(pickle.RuleNotPickle, 0, "%s is named like a pickle but is %s", quoted(p.name), kind.Name())
		if text {
			return p.text()
		}
		return nil
	case extensionOf(p.name) == ".safetensors":
		p.Find(RuleNotSafeTensor, 0, "%s is not a valid safetensors file; `weigh check` says why", quoted(p.name))
	}
	if text {
		return p.text()
	}
	if isBytecode(head) {
		p.format = formatBytecode
		p.Unanalysed("it is Python bytecode, which is not analyzed")
		return p.opaqueData()
	}
	p.Unanalysed("it is %s, which is not analyzed", kind.Name())
	return p.opaqueData()
}

// formatBytecode is the format of compiled Python source code.
const formatBytecode = "python-bytecode"

// isBytecode reports whether head is the start of a .pyc file of Python 2.7 or 3.
func isBytecode(head []byte) bool {
	return len(head) > 8 && head[2] == '\r' && head[3] == '\n' && (head[1] == 0xf3 || 0x0b <= head[1] && head[1] <= 0x0f)
}

// opaqueData searches bytes of an unknown format. No known loader treats them as code, so
// searching the first ones is enough.
func (p *part) opaqueData() error {
	r, cut, err := p.search(extent.Span{End: p.size})
	if err != nil {
		return err
	}
	p.Spend(min(p.size, p.mostSearch()) / 8)
	if cut {
		p.Find(RulePartlySearched, 0, "only the first %[2]s of %[1]s were searched for pickles", bytesOf(p.size),
			bytesOf(p.mostSearch()))
	}
	p.hidden(r, 0)
	return nil
}
