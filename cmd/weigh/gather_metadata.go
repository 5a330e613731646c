// Metadata of several files as that of one.

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// metadataChoices are what --metadata can be.
var metadataChoices = []string{"first", "last", "drop"}

// checkMetadataChoice says what is wrong with --metadata.
func checkMetadataChoice(word string) error {
	if word == "" || slices.Contains(metadataChoices, word) {
		return nil
	}
	if meant := cli.DidYouMean(word, metadataChoices); meant != "" {
		return cli.Usagef("--metadata cannot be %q: %s", word, meant)
	}
	return cli.Usagef("--metadata cannot be %q, but one of %s", word, strings.Join(metadataChoices, ", "))
}

// A blend is values by their keys, from several files.
type blend struct {
	what   string // what the values are of
	choice string // which value to take where files differ; "" to refuse that
	values map[string]string
	from   map[string]string // the file of each value
	drop   map[string]bool
}

func newBlend(what, choice string) *blend {
	return &blend{what: what, choice: choice, from: make(map[string]string), drop: make(map[string]bool)}
}

// add adds the values of a file. Keys are taken in order, so that it is the same one
// of several which is complained of on every run.
func (b *blend) add(file string, values map[string]string) error {
	if values != nil && b.values == nil {
		b.values = make(map[string]string) // of a file that has metadata, if none that says anything
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		value := values[key]
		was, known := b.values[key]
		switch {
		case b.drop[key]:
			continue
		case known && was == value:
			continue
		case known && b.choice == "":
			return fmt.Errorf("%s has %q as %s in %q, and as %s in %q: say which to take with --metadata %s",
				b.what, key, shortly(was), b.from[key], shortly(value), file, strings.Join(metadataChoices, "|"))
		case known && b.choice == "first":
			continue
		case known && b.choice == "drop":
			delete(b.values, key)
			b.drop[key] = true
			continue
		}
		b.values[key], b.from[key] = value, file
	}
	return nil
}

// shortly returns a value as a message has it: some are pages long.
func shortly(value string) string { return fmt.Sprintf("%q", typeset.Middle(value, 40)) }

// addMetadata takes the metadata of every file, and that of every index.
func (g *gathering) addMetadata(ctx context.Context, choice string) error {
	ofFiles, ofIndexes := newBlend("__metadata__", choice), newBlend("the metadata of the index", choice)
	for _, s := range g.sources {
		for _, shard := range s.cp.Shards() {
			h, err := s.cp.Header(ctx, shard)
			if err != nil {
				return err
			}
			if err := ofFiles.add(s.at.Path(shard), h.Metadata); err != nil {
				return err
			}
		}
		if x := s.cp.Index(); x != nil {
			if err := ofIndexes.add(s.at.Path(s.cp.Set().Index), x.Metadata); err != nil {
				return err
			}
		}
	}
	g.metadata, g.indexMetadata = ofFiles.values, ofIndexes.values
	return nil
}

// claim takes what the one index says of the number of parameters, which goes for the
// model that it was made for, and for no part of it.
func (g *gathering) claim() {
	x := g.sources[0].cp.Index()
	if x == nil || x.TotalParameters < 0 || len(g.sources) > 1 || g.partly {
		return
	}
	if g.indexMetadata == nil {
		g.indexMetadata = make(map[string]string)
	}
	g.indexMetadata["total_parameters"] = strconv.FormatInt(x.TotalParameters, 10)
}
