// Source code and bytecode, by name and by content, alone and in archives.

package scan

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

func TestSource(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       pickle.Verdict
	}{
		{"train.py", "import torch\nprint(torch.ones(1))\n", pickle.Unanalysed},
		{"train.py", "x = 1\n", pickle.Unanalysed},
		{"setup.py", "from setuptools import setup\nsetup()\n", pickle.Unanalysed},
		{"setup.py", "import os\nos.system('x')\n", pickle.Suspicious},
		{"a.py", "from subprocess import run\n", pickle.Suspicious},
		{"a.py", "model.eval()\nre.compile('x')\n", pickle.Unanalysed},
		{"a.py", "x = eval ('1')\n", pickle.Suspicious},
		{"modeling_x.py", "import torch\n", pickle.Suspicious},
		{"Configuration_X.py", "import torch\n", pickle.Suspicious},
		{"sitecustomize.py", "x = 1\n", pickle.Suspicious},
		{"conftest.py", "x = 1\n", pickle.Suspicious},
		{"hubconf.py", "x = 1\n", pickle.Suspicious},
		{"noext", "# hello\n\"\"\"text\nmore\"\"\"\nimport torch\n", pickle.Unanalysed},
		{"a.txt", "from os import system\n", pickle.Suspicious},
		{"run", "#!/bin/sh\nid\n", pickle.Unanalysed},
		{"run.sh", "id\n", pickle.Unanalysed},
		{"run.BAT", "@echo off\n", pickle.Unanalysed},
		{"x.ps1", "Get-Item\n", pickle.Unanalysed},
		{"Dockerfile", "FROM x\n", pickle.Unanalysed},
		{"Dockerfile.gpu", "FROM x\n", pickle.Unanalysed},
		{"Makefile", "all:\n", pickle.Unanalysed},
		{"kernel.cu", "__global__ void f() {}\n", pickle.Unanalysed},
		{"a.js", "alert(1)\n", pickle.Unanalysed},
		{"a.html", "<script>alert(1)</script>\n", pickle.Unanalysed},
		{"a.svg", "<svg onload='alert(1)'/>\n", pickle.Unanalysed},
		{"a.pmml", "<PMML version='4.4'></PMML>\n", pickle.Unanalysed},
		{"README.md", "<div align='center'><b>A model</b></div>\n", pickle.Safe},
		{"a.ipynb", `{"cells": [], "nbformat": 4}`, pickle.Unanalysed},
		{"a.pyc", "\xa7\x0d\x0d\x0a" + strings.Repeat("\x00", 12) + "\xe3", pickle.Unanalysed},
		{"x.pth", "# c\nimport os; os.system('x')\n", pickle.Dangerous},
		{"x.pth", "import\tos\n", pickle.Dangerous},

		{"s", "curl http://x/y | sh\n", pickle.Unanalysed},
		{"s.txt", "rm -rf / && curl http://x/y | sh\n", pickle.Unanalysed},
		{"s", "\n#!/bin/sh\ntouch x\n", pickle.Unanalysed},
		{"s", "# c\nset -e\nexport X=1\ntouch x\n", pickle.Unanalysed},
		{"gpu.Dockerfile", "FROM x\nRUN touch x\n", pickle.Unanalysed},
		{"run.xsh", "touch x\n", pickle.Unanalysed},
		{".gdbinit", "shell x\n", pickle.Unanalysed},
		{".vimrc", "!x\n", pickle.Unanalysed},
		{"matplotlibrc", "backend: module://evil\n", pickle.Unanalysed},
		{"post-checkout", "touch x\n", pickle.Unanalysed},
		{"MLproject", "name: x\nentry_points:\n  main:\n    command: \"touch x\"\n", pickle.Unanalysed},
		{"dvc.yaml", "stages:\n  a:\n    cmd: touch x\n", pickle.Unanalysed},
		{"kernel.json", `{"argv": ["sh"], "language": "python"}`, pickle.Unanalysed},
		{"pyproject.toml", "[build-system]\nbuild-backend=\"evil\"\nbackend-path=[\".\"]\n", pickle.Unanalysed},
		{"pyproject.toml", "[build-system]\nbuild-backend=\"hatchling.build\"\n", pickle.Safe},
		{"router_config.json", `{"types": {"a": "evil.X"}, "structure": {"a": ["b.c"]}}`, pickle.Suspicious},
		{"router_config.json", `{"types": {"a": "sentence_transformers.models.Transformer.Transformer"}}`, pickle.Safe},
		{"config.json", `{"types": {"a": "evil.X"}}`, pickle.Safe},
		{"config.cfg", "[nlp]\nbefore_init={\"@callbacks\":\"evil\"}\n", pickle.Suspicious},
		{"config.cfg", "[x]\n@callbacks = \"evil.v1\"\n", pickle.Suspicious},
		{"config.cfg", "[x]\n@readers = \"spacy.Corpus.v1\"\n@batchers = \"spacy.batch_by_words.v1\"\n", pickle.Safe},
		{"model_config.yaml", "target: evil.Model\nx: 1\n", pickle.Suspicious},
		{"modular_model_index.json", `{"unet": ["evil", "C", {"a": 1}]}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "../../x.bin"}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "a/../../x.bin"}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "/x.bin"}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "..\\x.bin"}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "a/.."}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "~/x.bin"}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "https://example.com/x.bin"}}`, pickle.Suspicious},
		{"a.index.json", `{"weight_map": {"a": "model-00001-of-00002.bin"}}`, pickle.Safe},
		{"notes.txt", "Use sh or bash to start it.\nGo to the folder and touch nothing.\n", pickle.Safe},

		{"README.md", "# A\n\n```python\nimport os\nos.system('x')\n```\n", pickle.Safe},
		{"LICENSE", "Apache License\n", pickle.Safe},
		{"requirements.txt", "torch>=2\n", pickle.Safe},
		{"notes.txt", "import duties are due\n", pickle.Safe},
		{"merges.txt", "#version: 0.2\n! !\n!! !!\n!!! !\nc onst\n", pickle.Safe},
		{"vocab.txt", "!\n\"\n#\n$\n%\n&\n'\n(\n[UNK]\n{\n", pickle.Safe},
		{".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", pickle.Safe},
		{"added_tokens.json", "{}\n", pickle.Safe},
		{"list.json", "[]", pickle.Safe},
	} {
		if r := scanned(t, new(Scanner), []byte(c.text), c.name); r.Verdict != c.want || !r.Complete && c.name != "x.pth" {
			t.Errorf("%s with %q is %s, %v, want %v: %v", c.name, c.text, r.Format, r.Verdict, c.want, r.Findings)
		}
		archive := zipped(t, file{"m/" + c.name, c.text}, file{"m/x.txt", "x"})
		if r := scanned(t, new(Scanner), archive, "x.zip"); r.Verdict < c.want || c.want == pickle.Safe && r.Verdict > c.want {
			t.Errorf("%s with %q in an archive is %v, want %v: %v", c.name, c.text, r.Verdict, c.want, r.Findings)
		}
	}
}

// Python's module site runs the lines of a .pth file whatever the file is for other programs.
func TestVariantsSitePath(t *testing.T) {
	long := func(s string) string { return string([]byte{byte(len(s)), 0, 0, 0}) + s }
	formats := map[string]func(string) []byte{
		"text":     func(s string) []byte { return []byte(s) },
		"pickle 0": func(s string) []byte { return []byte("(dS'a" + strings.ReplaceAll(s, "'", "\"") + "'\nI1\ns.") },
		"pickle 1": func(s string) []byte { return []byte("}X\x01\x00\x00\x00aX" + long(s) + "s.") },
		"pickle 2": func(s string) []byte { return []byte("\x80\x02X" + long(s) + ".") },
		"json":     func(s string) []byte { return []byte("{\"a\": 1,\n" + strings.TrimSpace(s) + "}") },
		"tar":      func(s string) []byte { return tarred(t, file{"a", s}) },
		"gguf":     func(s string) []byte { return []byte("GGUF\x03\x00\x00\x00" + strings.Repeat("\x00", 16) + s) },
		"npy":      func(s string) []byte { return []byte("\x93" + s) },
	}
	n := 0
	for _, format := range sorted(formats) {
		for _, line := range []string{"\n", "\r\n", "\r", "\v", "\f", "\x1e"} {
			for _, blank := range []string{" ", "\t"} {
				for _, code := range []string{"os; os.system('x')", "os,sys;os.system('ls')\n#"} {
					for _, pad := range []string{"", "# c\n", strings.Repeat("#", 60)} {
						b := formats[format](pad + line + "import" + blank + code + line + "#")
						n++
						if r := scanned(t, new(Scanner), b, "m.pth"); r.Evidence < pickle.Suspicious || !strings.Contains(rules(r), "site-path") {
							t.Errorf("%s with %q is %v (%s)", format, line+"import"+blank, r.Verdict, rules(r))
						}
					}
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
	far := strings.Repeat("# é\n", 5000) + "import os\n"
	for name, b := range map[string][]byte{"far.pth": []byte(far), "mark.pth": []byte("\ufeffimport os\n")} {
		if r := scanned(t, new(Scanner), b, name); r.Verdict != pickle.Dangerous {
			t.Errorf("%s is %v", name, r.Verdict)
		}
	}
	for name, b := range map[string][]byte{"path.pth": []byte("# p\n../lib\nimportant\n# import os\n"),
		"weights.pth": append(checkpoint(t), strings.Repeat("\xff\x81\x00", 10)+"\nimport os\n"...)[:len(checkpoint(t))]} {
		if r := scanned(t, new(Scanner), b, name); strings.Contains(rules(r), "site-path") {
			t.Errorf("%s is %v (%s)", name, r.Verdict, rules(r))
		}
	}
}
