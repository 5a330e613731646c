// Layers: which of them are files, under which name, and which are archives.

package oci

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/weightools/safetensors/store"
)

// named are the names of files without annotations by media type: of one file, and of several. Docker Model Runner uses
// the same names.
var named = sync.OnceValue(func() map[string][2]string {
	return map[string][2]string{
		"application/vnd.docker.ai.gguf.v3":                {"model.gguf", "model-%05d-of-%05d.gguf"},
		"application/vnd.docker.ai.safetensors":            {"model.safetensors", "model-%05d-of-%05d.safetensors"},
		"application/vnd.docker.ai.dduf":                   {"model.dduf"},
		"application/vnd.docker.ai.mmproj":                 {"model.mmproj"},
		"application/vnd.docker.ai.chat.template.jinja":    {"template.jinja"},
		"application/vnd.docker.ai.license":                {"LICENSE", "LICENSE-%d-of-%d"},
		"application/vnd.cncf.model.weight.v1.gguf":        {"model.gguf", "model-%05d-of-%05d.gguf"},
		"application/vnd.cncf.model.weight.v1.safetensors": {"model.safetensors", "model-%05d-of-%05d.safetensors"},
		"application/vnd.ollama.image.model":               {"model.gguf", "model-%05d-of-%05d.gguf"},
		"application/vnd.ollama.image.projector":           {"model.mmproj", "model-%05d-of-%05d.mmproj"},
		"application/vnd.ollama.image.template":            {"template"},
		"application/vnd.ollama.image.system":              {"system"},
		"application/vnd.ollama.image.params":              {"params.json"},
		"application/vnd.ollama.image.license":             {"LICENSE", "LICENSE-%d-of-%d"},
	}
})

// title returns the path that the annotations give a layer, or "".
func (l layer) title() string {
	return cmp.Or(l.Annotations["org.cncf.model.filepath"], l.Annotations["org.opencontainers.image.title"])
}

// compression returns how a layer is compressed, as the extension of a file name, or "".
func (l layer) compression() string {
	for suffix, extension := range map[string]string{"+gzip": ".gz", ".gzip": ".gz", "+zstd": ".zst"} {
		if strings.HasSuffix(l.MediaType, suffix) {
			return extension
		}
	}
	return ""
}

// isTar reports whether a layer is a tar archive, if it is unpacked.
func (l layer) isTar() bool {
	t := l.MediaType
	if i := strings.LastIndexByte(t, '+'); i >= 0 && !strings.HasSuffix(t, "+tar") {
		t = t[:i]
	}
	t = strings.TrimSuffix(t, ".gzip")
	if !strings.HasSuffix(t, ".tar") && !strings.HasSuffix(t, "+tar") && t != "application/x-tar" {
		return false
	}
	// ORAS gives this type to files, too, by default.
	return l.MediaType != "application/vnd.oci.image.layer.v1.tar" || l.title() == "" ||
		l.Annotations["io.deis.oras.content.unpack"] == "true" || path.Ext(l.title()) == ".tar"
}

// files returns the layers that are files by name, and those that are archives. A compressed layer is a file with the
// name of one.
func (m *manifest) files() (files map[string]file, tars []layer, err error) {
	count := make(map[string]int)
	for _, l := range m.Layers {
		count[l.MediaType]++
	}
	files, seen := make(map[string]file), make(map[string]int)
	for _, l := range m.Layers {
		if l.isTar() && l.compression() == "" {
			tars = append(tars, l)
			continue
		}
		seen[l.MediaType]++
		name := l.name(seen[l.MediaType], count[l.MediaType])
		if err := add(files, name, file{layer: l, size: l.Size}); err != nil {
			return nil, nil, err
		}
	}
	return files, tars, nil
}

// name returns the name of a layer, which is the n-th of so many with its media type.
func (l layer) name(n, of int) string {
	name := l.title()
	if name == "" {
		names := named()[l.MediaType]
		switch {
		case of > 1 && names[1] != "":
			name = fmt.Sprintf(names[1], n, of)
		case of == 1:
			name = names[0]
		}
	}
	if name == "" {
		name = strings.Replace(l.Digest, ":", "-", 1)
	}
	extension := l.compression()
	if extension == "" || strings.HasSuffix(name, extension) || extension == ".gz" && strings.HasSuffix(name, ".tgz") {
		return name
	}
	if l.isTar() && !strings.HasSuffix(name, ".tar") {
		name += ".tar"
	}
	return name + extension
}

// maxFiles is the maximum number of files of an artifact.
const maxFiles = 100_000

// add adds a file under a name that an annotation or an archive gives it.
func add(files map[string]file, name string, f file) error {
	name = strings.TrimPrefix(name, "./")
	if err := store.CheckName(name); err != nil {
		return fmt.Errorf("layer %s: %w", f.layer.Digest, err)
	}
	switch other, ok := files[name]; {
	case ok && (other.isMember || f.isMember || other.layer.Digest != f.layer.Digest):
		return fmt.Errorf("the artifact has two files %q, in layers %s and %s", name, other.layer.Digest, f.layer.Digest)
	case len(files) >= maxFiles:
		return errors.New("the artifact has more than 100,000 files")
	}
	files[name] = f
	return nil
}
