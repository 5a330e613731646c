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

// marks are what code and markup have in them, and metadata has not. Each is looked for
// in lower case.
var marks = []string{
	"__import__(", "import os", "import sys", "import subprocess", "import socket", "os.system(", "subprocess.", "eval(", "exec(", "compile(", "getattr(",
	"pickle.loads", "marshal.loads", "base64.b64decode", "builtins.", "__globals__", "__class__", "__subclasses__",
	"<script", "<iframe", "<svg", "<img", "<object", "javascript:", "onerror=", "onload=", "<?php", "<!entity", "document.cookie", "document.location",
	"#!/", "rm -rf", "curl http", "wget http", "powershell", "cmd.exe", "/bin/sh", "/bin/bash", "$(", "${jndi:",
}

// safetensors looks at a safetensors file.
func (p *part) safetensors([]byte) error {
	report, err := safetensors.Validate(p.file, p.size)
	if err != nil {
		return err
	}
	if report.Header == nil {
		return nil // it only begins like one
	}
	p.is("safetensors")
	p.explain(0, p.size)
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
	lower := strings.ToLower(text)
	for _, mark := range marks {
		if i := strings.Index(lower, mark); i >= 0 {
			const around = 30
			part := text[min(max(i-around, 0), len(text)):min(i+len(mark)+around, len(text))]
			p.find(RuleMetadataCode, 0, "the metadata %s has %s in it, as in %s", quoted(key), quoted(mark), quoted(part))
			return
		}
	}
	for _, magic := range [...]string{"\x80\x02", "\x80\x03", "\x80\x04", "gASV", "gAJ", "PK\x03\x04"} {
		if strings.HasPrefix(text, magic) {
			p.find(RuleMetadataCode, 0, "the metadata %s begins as a pickle or an archive does", quoted(key))
			return
		}
	}
}
