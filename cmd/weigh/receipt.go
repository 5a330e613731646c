// What a rewriting has written, or would write, for the user to read.

package main

import (
	"crypto/sha256"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
)

// receipt returns what there is to say. Sums are empty if nothing was read again.
func (r *rewriting) receipt(sums map[string][sha256.Size]byte) *receipt.Reshard {
	c := &receipt.Reshard{
		Schema: r.schema, Targets: r.targets, Planned: r.f.dryRun, InPlace: r.f.inPlace, Verified: r.f.verify, Index: -1,
		Replaced: inFolder(r.dir, r.plan.Replaced), Removed: inFolder(r.dir, r.plan.Left), NotCopied: r.sideFiles(),
	}
	for i := range r.plan.Shards {
		shard := &r.plan.Shards[i]
		f := receipt.ReshardFile{Path: slashed(r.dir, shard.Name), Size: shard.Size, Tensors: len(shard.Tensors)}
		for _, t := range shard.Tensors {
			f.Data += t.Size()
			if limit := r.writer.MaxShard; limit > 0 && t.Size() > limit {
				c.Large = append(c.Large, t.Name)
			}
		}
		c.Files = append(c.Files, f)
	}
	if r.plan.Index != "" {
		c.Index = len(c.Files)
		c.Files = append(c.Files, receipt.ReshardFile{Path: slashed(r.dir, r.plan.Index), Size: r.plan.IndexSize})
	}
	if r.f.json {
		c.Rows = r.rows(sums)
	}
	return c
}

// rows returns the tensors, file by file. There may be a million, and only the
// machine form lists them.
func (r *rewriting) rows(sums map[string][sha256.Size]byte) []receipt.ReshardRow {
	from := make(map[*safetensors.Tensor]string, len(r.parts))
	for _, one := range r.parts {
		from[one.Tensor] = one.file
	}
	rows := make([]receipt.ReshardRow, 0, len(r.parts))
	for i := range r.plan.Shards {
		for _, t := range r.plan.Shards[i].Tensors {
			row := receipt.ReshardRow{TensorInfo: &t.TensorInfo, From: from[t], File: i}
			if sum, ok := sums[t.Name]; ok {
				row.SHA256 = sum[:]
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// inFolder returns names as those of files in dir.
func inFolder(dir string, names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = slashed(dir, name)
	}
	return list
}

// slashed returns the path of a file in dir with slashes, as all systems know them.
func slashed(dir, name string) string { return filepath.ToSlash(filepath.Join(dir, name)) }

// weightEnds are the ends of names of files that are no companions of a model, but
// models themselves.
var weightEnds = []string{".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".onnx", ".h5", ".msgpack", ".npz", ".pkl"}

// sideFiles returns what stands beside the sources and is not copied to where the
// new files go.
func (r *rewriting) sideFiles() []string {
	var list []string
	for _, s := range r.sources {
		if !s.isHere() {
			continue // elsewhere, to list a repository is for those who want it
		}
		for _, file := range beside(s.folder(), r.dir) {
			if !slices.Contains(list, file) {
				list = append(list, file)
			}
		}
	}
	return list
}

// beside returns the files of a folder of weights that are no weights, and so do not
// come along when those go to another: configurations, tokenizers, licences.
func beside(from, to string) []string {
	if sameFolder(from, to) {
		return nil
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil // weights were read there, and what is beside them is not what was asked for
	}
	var list []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".index.json") || slices.Contains(weightEnds, path.Ext(name)) {
			continue
		}
		list = append(list, slashed(from, name))
	}
	return list
}

// leftBehind returns what does not come along when a source that is a folder or an index
// goes to another folder: without its configuration a model does not load. Of a file that
// was named alone, nothing is said to be missing; check holds it the same way.
func leftBehind(source, to string) []string {
	switch {
	case isFolder(source):
		return beside(source, to)
	case strings.HasSuffix(source, ".index.json"):
		return beside(filepath.Dir(source), to)
	}
	return nil
}
