// The overview: what the targets are, their metadata and their findings.

package viewer

import (
	"maps"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/model/metadata"
)

// Bounds of the overview.
const (
	mostFiles    = 1000
	mostFindings = 2000
	mostEntries  = 1000 // of metadata
	mostValue    = 4096 // bytes of a value of metadata
	mostOthers   = 100  // files with other metadata
)

// session answers with what is open.
func (v *Viewer) session(*reply.Request) (reply.Answer, error) {
	return reply.Object(encode.M("schema", "weigh.view/1"), encode.M("version", v.opts.Version),
		encode.M("export", v.exporting),
		encode.M("targets", encode.List(v.targets, func(o **opened) any { return (*o).json() })),
		encode.M("compare", len(v.targets) > 1), encode.M("limits", limits)), nil
}

// limits are the bounds of answers, for the page.
var limits = []encode.Member{
	encode.M("rows", mostRows), encode.M("nodes", mostNodes), encode.M("regions", mostRegions),
	encode.M("hex", mostHex), encode.M("slice", mostElements), encode.M("findings", mostFindings),
	encode.M("changes", mostRows), encode.M("local_budget", localBudget), encode.M("remote_budget", remoteBudget),
}

// json returns the target for the session.
func (o *opened) json() any {
	var bytes, headers int64
	models := []string{}
	for i := range o.files() {
		f := &o.files()[i]
		bytes = encode.Add(bytes, max(f.Size, 0))
		if f.Header != nil {
			headers = encode.Add(headers, f.Header.Size)
		}
	}
	for _, set := range o.found.Sets {
		if set.Counted {
			models = append(models, set.Name)
		}
	}
	return []encode.Member{encode.M("t", o.t), encode.M("name", o.name.String()), encode.M("remote", o.remote),
		encode.M("files", len(o.files())), encode.M("tensors", o.all), encode.M("bytes", bytes),
		encode.M("header_bytes", headers), encode.M("models", cut(models, 0, mostOthers)),
		encode.M("packed", o.hasPacked()),
		encode.M("unread", cut(o.unread, 0, mostOthers))}
}

// cost answers with what reading remote targets has cost.
func (v *Viewer) cost(*reply.Request) (reply.Answer, error) {
	c := v.sess.Cost()
	return reply.Object(encode.M("requests", c.Requests), encode.M("bytes", c.Bytes),
		encode.M("cache_hits", c.Hits)), nil
}

// info answers as info does, with one tensor and without metadata, which have no bounds.
func (v *Viewer) info(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	return o.infos.Get(func() (reply.Answer, error) {
		inv := o.found.Inventory
		info := listing.NewInfo(inv, listing.Selection{Limit: 1})
		var err error
		if info.Models, err = o.counted(); err != nil {
			return nil, err
		}
		info.Rows = slices.Clone(cut(info.Rows, 0, 2)) // enough to say that there are more
		info.Files = slices.Clone(cut(inv.Files, 0, mostFiles))
		for i := range info.Files {
			if h := info.Files[i].Header; h != nil {
				without := *h
				without.Metadata = nil
				info.Files[i].Header = &without
			}
		}
		info.Findings = cut(inv.Findings, 0, mostFindings)
		return reply.Kept(reply.As(info.JSON))
	})
}

// An entry is a member of the metadata.
type entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Bytes int    `json:"bytes"`
	Cut   bool   `json:"cut"`
}

// metadata answers with the metadata of a file: of the first one that has some, unless one is named.
func (v *Viewer) metadata(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	has := func(f listing.File) bool { return f.Header != nil && len(f.Header.Metadata) > 0 }
	i := slices.IndexFunc(o.files(), has)
	if r.Has("file") {
		if i, err = o.file(r); err != nil {
			return nil, err
		}
	}
	f := new(listing.File)
	var pairs map[string]string
	if i >= 0 {
		if f = &o.files()[i]; f.Header != nil {
			pairs = f.Header.Metadata
		}
	}
	others := []string{}
	for j := range o.files() {
		if has(o.files()[j]) && !maps.Equal(o.files()[j].Header.Metadata, pairs) && len(others) < mostOthers {
			others = append(others, o.files()[j].Path)
		}
	}
	return reply.Object(encode.M("schema", "weigh.view.metadata/1"), encode.M("file", f.Path),
		encode.M("total", len(pairs)),
		encode.M("entries", entriesOf(pairs)), encode.M("words", wordsOf(pairs)), encode.M("others", others)), nil
}

// entriesOf returns the first entries of the metadata, by key.
func entriesOf(pairs map[string]string) []entry {
	list := []entry{}
	for _, key := range cut(slices.Sorted(maps.Keys(pairs)), 0, mostEntries) {
		e := entry{Key: labelOf(key), Value: pairs[key], Bytes: len(pairs[key])}
		if e.Cut = e.Bytes > mostValue; e.Cut {
			e.Value = ends(e.Value, mostValue/2)
		}
		list = append(list, e)
	}
	return list
}

// wordsOf returns what the metadata says in words, as the command metadata does.
func wordsOf(pairs map[string]string) any {
	return encode.List(metadata.Describe(pairs), func(g *metadata.Group) any {
		facts := cut(g.Facts, 0, mostEntries)
		return []encode.Member{encode.M("title", g.Title), encode.M("facts", encode.Each(len(facts), func(i int) any {
			value := facts[i].Value
			if len(value) > mostValue {
				value = ends(value, mostValue/2)
			}
			return []encode.Member{encode.M("name", labelOf(facts[i].Name)), encode.M("value", value)}
		}))}
	})
}

// check answers as check does. It reads no values.
func (v *Viewer) check(r *reply.Request, _ *reply.Job) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	c, err := o.checks.Get(func() (*finding.Check, error) {
		keeper, err := survey.NewKeeper(o.sess, "", "", true)
		if err != nil {
			return nil, err
		}
		found, err := survey.Run(r.Ctx(), o.sess, []target.Name{o.name},
			&survey.Options{Lenient: o.lenient, Thorough: true, Gate: keeper})
		if err != nil {
			return nil, err
		}
		c := found.Check(keeper.FailsFrom(o.lenient))
		for _, book := range keeper.Used {
			c.Configs = append(c.Configs, book.Name)
		}
		return c.AtMost(mostFindings), nil
	})
	if err != nil {
		return nil, err
	}
	return reply.As(c.JSON), nil
}

// explain answers with the documentation of a rule.
func (v *Viewer) explain(r *reply.Request) (reply.Answer, error) {
	rule := safetensors.Rule(strings.TrimSpace(r.FormValue("rule")))
	if !slices.ContainsFunc(finding.Rules, func(info safetensors.RuleInfo) bool { return info.Rule == rule }) {
		return nil, reply.Wrong("no rule %s; weigh check --rules lists them", reply.Quoted(string(rule)))
	}
	return reply.As(finding.Explain(rule).JSON), nil
}
