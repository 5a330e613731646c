// Safetensors files: data by design. What could be in them is in their metadata.

package scan

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// isSafetensors goes by the length of the header, which is to fit the part, and by the
// brace after it.
func (p *part) isSafetensors(head []byte) bool {
	const lengthSize = 8
	if len(head) <= lengthSize || head[lengthSize] != '{' {
		return false
	}
	n := binary.LittleEndian.Uint64(head)
	return n <= safetensors.MaxHeaderSize && int64(n) <= p.size-lengthSize
}

// marks are what code and markup have in them, and metadata has not, in lower case.
var marks = []string{
	"__import__(", "import os", "import sys", "import subprocess", "import socket", "os.system(", "subprocess.", "pickle.loads", "marshal.loads", "base64.b64decode",
	"builtins.", "__globals__", "__class__", "__subclasses__", "__builtins__",
	"<script", "<iframe", "<svg", "<img", "<object", "javascript:", "onerror=", "onload=", "<?php", "<!entity", "document.cookie", "document.location",
	"#!/", "rm -rf", "curl http", "wget http", "powershell", "cmd.exe", "/bin/sh", "/bin/bash", "${jndi:",
}

// calls are functions of Python's that run code. As the end of a longer name, such as
// "model.eval(", they mean something else.
var calls = []string{"eval(", "exec(", "compile("}

// markIn returns what code or markup a text has in it, and where, "" if none.
func markIn(text string) (mark string, at int) {
	for _, mark := range marks {
		if i := strings.Index(text, mark); i >= 0 {
			return mark, i
		}
	}
	for _, call := range calls {
		for from := 0; ; {
			i := strings.Index(text[from:], call)
			if i < 0 {
				break
			}
			at := from + i
			if at == 0 || strings.IndexByte("abcdefghijklmnopqrstuvwxyz0123456789_.", text[at-1]) < 0 {
				return call, at
			}
			from = at + len(call)
		}
	}
	return "", 0
}

// safetensors looks at a safetensors file.
func (p *part) safetensors(head []byte) error {
	most := p.MaxMemory / 3 * 2 // what is read of it takes about as much again
	if n := int64(binary.LittleEndian.Uint64(head)); n > most {
		p.is("safetensors")
		p.explain(0, 8+n)
		p.overBudget(0, "the header takes %s, and no more than %s are read", bytesOf(n), bytesOf(most))
		return nil
	} else if !p.spend(costJSON * n) {
		p.overWork(0)
		return nil
	}
	report, err := safetensors.Validate(p.file, p.size)
	if err != nil {
		return err
	}
	if report.Header == nil {
		return nil // it only begins like one
	}
	p.is("safetensors")
	end := report.Header.DataStart()
	for i := range report.Header.Tensors {
		end = max(end, report.Header.FileSpan(&report.Header.Tensors[i]).End)
	}
	p.explain(0, min(end, p.size))
	if p.saysPickle() || extensionOf(p.name) == ".bin" {
		p.find(RuleLookAlike, 0, "%s is a safetensors file: there is no code to load in it", quoted(p.name))
	}
	if v := report.First(safetensors.Nonconforming); v != nil {
		p.find(RuleNotSafeTensor, v.Span.Begin, "%s: weigh check says more", v.Detail)
	}
	keys := make([]string, 0, len(report.Header.Metadata))
	for key := range report.Header.Metadata {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		for _, text := range [...]string{key, report.Header.Metadata[key]} {
			p.metadata(key, text)
		}
	}
	return nil
}

// metadata looks for code in a text out of metadata.
func (p *part) metadata(key, text string) {
	if mark, at := markIn(strings.ToLower(text)); mark != "" {
		const around = 30 // bytes
		// In lower case a text may have another length.
		excerpt := text[min(max(at-around, 0), len(text)):min(at+len(mark)+around, len(text))]
		p.find(RuleMetadataCode, 0, "the metadata %s has %s in it, as in %s", quoted(key), quoted(mark), quoted(excerpt))
		return
	}
	for _, magic := range [...]string{"\x80\x02", "\x80\x03", "\x80\x04", "gASV", "gAJ", "PK\x03\x04"} {
		if strings.HasPrefix(text, magic) {
			p.find(RuleMetadataCode, 0, "the metadata %s begins as a pickle or an archive does", quoted(key))
			return
		}
	}
}
