// Models: what is beside the weights, and what they come to with it.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/compat"
	"github.com/weightools/safetensors/store"
)

// A model is files of a survey that belong together, with what was read beside
// them.
type modelFiles struct {
	name  string // that of the set, as users can open it
	files []int  // of the survey's
	data  []io.ReaderAt
	far   bool // each read of data is a request

	looked                    bool // for what is beside it
	config, modelopt, adapter []byte
	notes                     []string
}

// newModel returns the model of a set. Shards that are named one by one are of one
// model all the same.
func (s *survey) newModel(at *target.Target, set *checkpoint.Set) *modelFiles {
	name := at.Path(set.Name)
	if stem, ok := numbered(name); ok && set.Index == "" && len(set.Shards) == 1 {
		name = stem
	}
	for _, m := range s.models {
		if m.name == name {
			return m
		}
	}
	m := &modelFiles{name: name, far: at.Remote()}
	s.models = append(s.models, m)
	return m
}

// numbered returns what the names of numbered shards have in common, as in
// "model-*-of-00004.safetensors".
func numbered(name string) (string, bool) {
	i := strings.LastIndex(name, "-of-")
	if i < 0 {
		return "", false
	}
	stem := strings.TrimRight(name[:i], "0123456789")
	return stem + "*" + name[i:], len(stem) < i
}

// beside reads the configurations in the folder of a set whose headers were read. One
// that can say nothing about them is not asked for: over a network that costs a round
// trip.
func (s *survey) beside(ctx context.Context, m *modelFiles, at *target.Target, set string) {
	if m.looked || len(m.files) == 0 {
		return
	}
	m.looked = true
	folder := path.Dir(set)
	m.config = m.readBeside(ctx, at, path.Join(folder, "config.json"))
	if !bytes.Contains(m.config, []byte("quantization_config")) && s.any(m, isNarrow) {
		m.modelopt = m.readBeside(ctx, at, path.Join(folder, "hf_quant_config.json"))
	}
	if s.any(m, isAdapters) {
		m.adapter = m.readBeside(ctx, at, path.Join(folder, "adapter_config.json"))
	}
}

// any says whether one of the first tensors of a model's files is of some kind.
func (s *survey) any(m *modelFiles, is func(*safetensors.TensorInfo) bool) bool {
	const enough = 1000 // tensors: what a model is shows early
	for _, i := range m.files {
		h := s.Files[i].Header
		for j := 0; h != nil && j < min(len(h.Tensors), enough); j++ {
			if is(&h.Tensors[j]) {
				return true
			}
		}
	}
	return false
}

// isNarrow says whether a tensor may be packed: by a dtype of 8 bits or less.
func isNarrow(ti *safetensors.TensorInfo) bool { return ti.Dtype.Bits() <= 8 }

// isAdapters says whether a tensor may be one of an adapter, by its name.
func isAdapters(ti *safetensors.TensorInfo) bool {
	return strings.Contains(ti.Name, "lora") || strings.Contains(ti.Name, "hada_") || strings.Contains(ti.Name, "lokr_")
}

// readBeside reads a configuration, nil if there is none. That it cannot be read is a
// note; but what a server does not give is as good as not there: who was let in to a
// file need not be let in to those beside it.
func (m *modelFiles) readBeside(ctx context.Context, at *target.Target, name string) []byte {
	text, err := readSmall(ctx, at.Store, name)
	if err == nil {
		return text
	}
	if !at.Remote() && !errors.Is(err, fs.ErrNotExist) {
		m.notes = append(m.notes, cli.Describe(fmt.Errorf("%s is not read: %w", path.Base(name), err)))
	}
	return nil
}

// readSmall reads an object whole, or a byte more than what a configuration may have.
func readSmall(ctx context.Context, from store.Store, name string) ([]byte, error) {
	object, err := from.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	text := make([]byte, min(object.Size(), model.MaxConfig+1))
	n, err := object.ReaderAt(ctx).ReadAt(text, 0)
	if n == len(text) {
		err = nil
	}
	return text, err
}

// A lateFile is the bytes that the header of a shard describes. The shard is opened when
// it is first read, which few are.
type lateFile struct {
	ctx   context.Context
	set   *checkpoint.Set
	shard string

	once sync.Once
	cp   *checkpoint.Checkpoint
	r    io.ReaderAt
	err  error // of opening
}

func (f *lateFile) ReadAt(b []byte, off int64) (int, error) {
	f.once.Do(func() {
		f.cp = f.set.Open()
		f.r, f.err = f.cp.ReaderAt(f.ctx, f.shard)
	})
	if f.err != nil {
		return 0, f.err
	}
	if ahead, ok := f.r.(store.Prefetcher); ok {
		ahead.Prefetch(off, int64(len(b))) // these bytes, and none around them
	}
	return f.r.ReadAt(b, off)
}

// Close closes what was opened.
func (f *lateFile) Close() error {
	if f.cp == nil {
		return nil
	}
	return f.cp.Close()
}

// counted returns what the models of the survey come to, as far as they are in the
// selection, and how the named other counter counts them, if one is named.
func (s *survey) counted(sel *listing.Selection, other string) ([]listing.Model, error) {
	var list []listing.Model
	for _, m := range s.models {
		q := &model.Model{Config: m.config, ModelOpt: m.modelopt}
		if m.far {
			q.MaxReads, q.Parallel = mostRequests, requestsAtOnce
		}
		a := &model.Model{Config: m.config, Adapter: m.adapter}
		for i, file := range m.files {
			if h := s.Files[file].Header; h != nil {
				q.Files = append(q.Files, model.File{Header: h, Data: m.data[i]})
				a.Files = append(a.Files, model.File{Header: h, Data: m.near(i)})
			}
		}
		if len(q.Files) == 0 {
			continue
		}
		if sel.Filters() {
			q.Only = sel.Has
		}
		one := listing.Model{Name: m.name, Counts: model.Count(q), Facts: model.FactsOf(a), Notes: m.notes}
		if other != "" {
			var err error
			if one.Other, err = compat.Count(other, q); err != nil {
				return nil, err
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// closeData closes the files that were read for their shapes.
func (s *survey) closeData() {
	for _, m := range s.models {
		for _, r := range m.data {
			if c, ok := r.(io.Closer); ok {
				c.Close()
			}
		}
	}
}

// mostRequests bounds what is asked of a server for the shapes of one model, of which
// requestsAtOnce go on at once. The largest that bitsandbytes packs without
// experts has 700 matrices, each with its shape in another place.
const (
	mostRequests   = 1000
	requestsAtOnce = target.Parallel
)

// near returns the bytes of a file that is on this machine, and otherwise nil: what
// only adorns is not worth a request.
func (m *modelFiles) near(file int) io.ReaderAt {
	if m.far {
		return nil
	}
	return m.data[file]
}
