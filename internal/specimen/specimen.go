// Package specimen expands compact descriptions of model repositories into folders of sparse files, for tests. The
// files have the names, shapes and configuration of published models, with holes instead of data.
//
// A description is a text. Its first lines are facts, "KEY: VALUE". Then follow the files:
//
//	-- config.json --
//	{"model_type": "llama"}
//	-- model.safetensors | weights max=5000000000 --
//	BF16 128256x4096 model.embed_tokens.weight
//	BF16 4096x4096 model.layers.{0-31}.self_attn.{q_proj,o_proj}.weight
//	-- snapshots/0123/config.json | link ../../blobs/4567 --
//	-- tokenizer.json | tokenizer 128255 256 --
//	-- training_args.bin | torch --
//	-- onnx/model.onnx | base64 --
//	CAcSB3B5dG9yY2g=
//
// A line of weights has the dtype, the shape ("-" for a scalar) and a pattern of names, in which braces hold
// alternatives and ranges of numbers. The option max writes shards of at most so many bytes, if they are needed, with
// an index; first is the number of the first shard (1), digits the width of the numbers (5), format the value of the
// metadata ("pt"; "none" writes no metadata), and pad=no leaves the header without padding, as MLX does.
package specimen

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Specimen is a description of a repository.
type Specimen struct {
	Name  string
	Facts map[string]string
	files []file

	folder fs.FS // of the parts
}

// A file is one file of a repository.
type file struct {
	name    string
	kind    string // "", "weights", "link", "tokenizer", "torch" or "base64"
	options []string
	text    string
}

// Load parses all descriptions NAME.txt of a folder, in the order of names. The folder "parts" has
// lists of tensors: a line "@PART DTYPE PREFIX" stands for the lines of the file PART.txt, with another dtype for
// floating-point tensors ("-" keeps it), and names that begin with the prefix.
func Load(folder fs.FS) (all []*Specimen, err error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		s, err := Parse(strings.TrimSuffix(name, ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		s.folder = folder
		all = append(all, s)
	}
	return all, nil
}

// Parse parses a description.
func Parse(name, text string) (*Specimen, error) {
	s := &Specimen{Name: name, Facts: make(map[string]string)}
	for i, line := range strings.SplitAfter(text, "\n") {
		head, ok := strings.CutPrefix(line, "-- ")
		if head, end := strings.CutSuffix(head, " --\n"); ok && end {
			s.files = append(s.files, fileOf(head))
			continue
		}
		if len(s.files) > 0 {
			s.files[len(s.files)-1].text += line
			continue
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%s: line %d is neither a fact nor a file", name, i+1)
		}
		s.Facts[key] = value
	}
	return s, nil
}

func fileOf(head string) file {
	name, options, _ := strings.Cut(head, " | ")
	f := file{name: name}
	if fields := strings.Fields(options); len(fields) > 0 {
		f.kind, f.options = fields[0], fields[1:]
	}
	return f
}

// always are files that all repositories have.
var always = []file{
	{name: "README.md", text: "---\nlicense: apache-2.0\n---\n# A model\n"},
	{name: ".gitattributes", text: "*.safetensors filter=lfs diff=lfs merge=lfs -text\n"},
	{name: "LICENSE", text: "Apache License\n"},
}

// Write makes the repository in dir, with a README and what else all repositories have.
func (s *Specimen) Write(dir string) error {
	for _, f := range slices.Concat(always, s.files) {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		var err error
		switch f.kind {
		case "":
			err = os.WriteFile(path, []byte(f.text), 0o666)
		case "link":
			err = os.Symlink(strings.Join(f.options, " "), path)
		case "weights":
			err = s.writeWeights(path, f)
		case "tokenizer":
			err = s.writeTokenizer(path, f.options)
		case "torch":
			err = writeTorch(path)
		case "base64":
			var b []byte
			if b, err = base64.StdEncoding.DecodeString(strings.TrimSpace(f.text)); err == nil {
				err = os.WriteFile(path, b, 0o666)
			}
		default:
			err = fmt.Errorf("unknown kind %q", f.kind)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Name, f.name, err)
		}
	}
	return nil
}

// writeTorch writes what torch.save writes for an empty list.
func writeTorch(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range map[string]string{"archive/data.pkl": "\x80\x02].", "archive/version": "3\n"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			return err
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
	}
	return z.Close()
}

// writeTokenizer writes a tokenizer.json whose last token is the first option. It adds as many
// tokens as the second.
func (s *Specimen) writeTokenizer(path string, options []string) error {
	if len(options) != 2 {
		return errors.New("not tokenizer LAST ADDED")
	}
	last, err := strconv.Atoi(options[0])
	if err != nil {
		return err
	}
	added, err := strconv.Atoi(options[1])
	if err != nil {
		return err
	}
	text := []byte(`{"version":"1.0","model":{"type":"BPE","vocab":{`)
	begin := last - added
	if strings.Contains(s.Facts["loaders"], "ollama") {
		begin = 0 // it needs every token
	}
	for i := begin; i <= last-added; i++ {
		text = fmt.Appendf(text, `"t%d":%d,`, i, i)
	}
	text = append(bytes.TrimSuffix(text, []byte(",")), `},"merges":[]},"added_tokens":[`...)
	for i := last + 1 - added; i <= last; i++ {
		text = fmt.Appendf(text, `{"id":%d,"content":"<|%d|>","special":true},`, i, i)
	}
	text = append(bytes.TrimSuffix(text, []byte(",")), "]}"...)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return err
	}
	text = []byte(`{"tokenizer_class":"PreTrainedTokenizerFast","model_max_length":131072}`)
	return os.WriteFile(filepath.Join(filepath.Dir(path), "tokenizer_config.json"), text, 0o666)
}
