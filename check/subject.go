// Subjects: a set of weights with its headers and its configuration.

package check

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/config"
)

// A subject is a set of weights, as far as the rules need to know it.
type subject struct {
	*folder
	set    *checkpoint.Set
	index  *checkpoint.Index // nil if there is none
	shards []shard

	*config.Config                  // never nil
	main           *tree.ConfigFile // config.json or adapter_config.json; nil for a single file

	// The texts of the configurations of the quantization, if they are files of their own.
	quantize, modelOpt, description []byte

	single    bool // the target is one file, and nothing can be missing from it
	complete  bool // no shard is missing or invalid, as far as is known
	described bool // the configuration is about this set, and not about another one beside it
	tensors   int
}

// A shard is one file of a set. The header is nil if it is not valid.
type shard struct {
	path   string
	header *safetensors.Header
}

// open reads the headers of the set, if they are not known yet.
func (s *subject) open(ctx context.Context) {
	s.complete = s.set.Role != checkpoint.Other && allNumbered(s.set.Shards)
	cp := s.set.Open()
	defer cp.Close()
	s.index = cp.Index()
	for _, p := range s.set.Shards {
		h, err := cp.Header(ctx, p)
		if err != nil {
			h, s.complete = nil, false // Checkpoint.Validate reports it
		} else {
			s.tensors += len(h.Tensors)
		}
		s.shards = append(s.shards, shard{p, h})
	}
}

// configure reads the configuration files in the folder of the set.
func (s *subject) configure(ctx context.Context, r *tree.ConfigReader) {
	folder, name := folderOf(s.File()), "config.json"
	if s.isAdapterByName() {
		name = "adapter_config.json"
	}
	s.main = r.Read(ctx, folder, name)
	files := config.Files{Main: s.main.File}
	s.Config = config.New(files, new(config.Notes))
	if s.main.Root == nil || s.Quant != nil {
		return
	}
	for _, other := range config.QuantizeNames {
		if one := r.Read(ctx, folder, other); one.Root != nil {
			files.Quantize, s.quantize = one.File, one.Text
			break
		}
	}
	if files.Quantize.Root == nil {
		one := r.Read(ctx, folder, "hf_quant_config.json")
		files.ModelOpt, s.modelOpt = one.File, one.Text
	}
	for _, other := range config.DescriptionNames(path.Base(s.set.Name)) {
		if one := r.Read(ctx, folder, other); one.Root != nil {
			files.Description, s.description = one.File, one.Text
			break
		}
	}
	s.Config = config.New(files, new(config.Notes))
}

// allNumbered reports whether there are as many shards as their numbers say. Checkpoint.Validate reports which
// are missing.
func allNumbered(shards []string) bool {
	totals := make(map[string]int64) // the number of shards, by their name without its number
	for _, p := range shards {
		if before, after, ok := strings.Cut(path.Base(p), "-of-"); ok {
			totals[strings.TrimRight(before, "0123456789")+"-of-"+after]++
		}
	}
	for name, n := range totals {
		_, after, _ := strings.Cut(name, "-of-")
		digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		if total, err := strconv.ParseInt(digits, 10, 64); err == nil && n < total {
			return false
		}
	}
	return true
}

// File returns the file with which faults of the set are reported: its index or its first shard.
func (s *subject) File() string {
	if s.set.Index == "" && len(s.set.Shards) > 0 {
		return s.set.Shards[0]
	}
	return s.set.Index
}

// beside returns the path of a file in the folder of the set.
func (s *subject) beside(name string) string { return path.Join(folderOf(s.File()), name) }

// isAdapterByName reports whether the set has the name that PEFT gives to adapters.
func (s *subject) isAdapterByName() bool {
	return strings.HasPrefix(path.Base(s.File()), "adapter_model") || s.set.Role == checkpoint.Adapter
}

// ShardPath returns the path of the shard with a number.
func (s *subject) ShardPath(shard int) string { return s.shards[shard].path }

// Len returns the number of tensors.
func (s *subject) Len() int { return s.tensors }

// Any reports whether a tensor of the set is one of those that are asked for.
func (s *subject) Any(is func(*safetensors.TensorInfo) bool) bool {
	for _, one := range s.shards {
		for i := 0; one.header != nil && i < len(one.header.Tensors); i++ {
			if is(&one.header.Tensors[i]) {
				return true
			}
		}
	}
	return false
}

// Configured returns the path of the configuration and its members, or a nil object if there is none.
func (s *subject) Configured() (string, config.Object) {
	if s.main == nil {
		return "", nil
	}
	return s.main.Path, s.Main.Root
}

// Report reports a tally with the shard of its first tensor. The format makes what follows the subject.
func (s *subject) Report(rule safetensors.Rule, t *tally, one, several, format string, args ...any) {
	if t.N == 0 {
		return
	}
	s.found(s.shards[t.Shard].path).Add(rule, t.First.Name, t.First.Entry, "%s %s", t.Subject(one, several),
		fmt.Sprintf(format, args...))
}

// reportSet is like Report, with the set instead of a shard: the advice is about all files of the set.
func (s *subject) reportSet(rule safetensors.Rule, t *tally, one, several, format string, args ...any) {
	at := safetensors.Span{}
	if s.shards[t.Shard].path == s.set.Name {
		at = t.First.Entry
	}
	s.found(s.set.Name).Add(rule, t.First.Name, at, "%s %s", t.Subject(one, several), fmt.Sprintf(format, args...))
}

// isElsewhere reports whether the index assigns a tensor to another shard, or to none.
func (s *subject) isElsewhere(tensor string, shard int) bool {
	e := s.index.Lookup(tensor)
	return e == nil || path.Join(folderOf(s.set.Index), e.Shard) != s.shards[shard].path
}

// isPart reports whether a set is what one rank of several loads: a file such as model-rank-1-part-0.safetensors of
// vLLM, or rank1.safetensors of TensorRT-LLM. The configuration is about all of them together.
func isPart(set *checkpoint.Set) bool {
	_, after, ok := strings.Cut(path.Base(set.Name), "rank")
	after = strings.TrimLeft(after, "-_")
	return ok && after != "" && after[0] >= '0' && after[0] <= '9'
}

// hasUsualName reports whether a set has a name that libraries look for.
func hasUsualName(set *checkpoint.Set) bool {
	base := path.Base(set.Name)
	return slices.ContainsFunc([]string{"model.safetensors", "model-", "diffusion_pytorch_model.safetensors",
		"pytorch_model"},
		func(usual string) bool { return strings.HasPrefix(base, usual) })
}
