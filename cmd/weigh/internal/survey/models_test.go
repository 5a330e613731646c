// Models: a survey counts as the library does.

package survey_test

import (
	"bytes"
	"context"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/model"
)

// The counts and facts of info are those of a Go program that calls model.Read.
func TestCountedAsByTheLibrary(t *testing.T) {
	const root = "../../../../"
	for _, within := range []string{"testdata", "../shared/cases", "../shared/cases-counts", "../shared/fixtures", "../shared/pickle"} {
		filepath.WalkDir(root+within, func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || !hasWeights(dir) {
				return nil
			}
			t.Run(strings.TrimPrefix(filepath.ToSlash(dir), root), func(t *testing.T) { compare(t, dir) })
			return nil
		})
	}
}

// hasWeights reports whether a folder itself has weights. Folders above would be compared again.
func hasWeights(dir string) bool {
	for _, suffix := range []string{"safetensors", "bin", "pt", "npz"} {
		if found, _ := filepath.Glob(filepath.Join(dir, "*."+suffix)); len(found) > 0 {
			return true
		}
	}
	return false
}

// compare compares the counts of a folder.
func compare(t *testing.T, dir string) {
	sets := setsOf(t, dir)
	sess := cli.NewSession(t.Context(), strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer), func(string) string { return "off" })
	found, err := survey.Run(t.Context(), sess, []target.Name{target.Name(dir)}, &survey.Options{Models: true})
	if err != nil {
		t.Skip(err)
	}
	defer found.CloseModels()
	list, err := found.Counted(new(listing.Selection), "")
	if err != nil {
		t.Fatal(err)
	}
	byName := make(map[string]listing.Model)
	for _, m := range list {
		byName[m.Name] = m
	}
	compared := 0
	for name, cp := range sets {
		m, err := model.Read(t.Context(), cp, false)
		if err != nil {
			continue // invalid, and shown as far as it can be read
		}
		defer m.Close()
		counts, facts := model.Count(m), model.FactsOf(m)
		got, ok := byName[name]
		if !ok && len(sets) > 1 {
			continue // numbered shards without an index, which info joins
		}
		if !reflect.DeepEqual(got.Counts, counts) || !reflect.DeepEqual(got.Facts, facts) {
			t.Errorf("%s: info has\n%+v\n%+v\nand the library\n%+v\n%+v", name, got.Counts, got.Facts, counts, facts)
		}
		compared++
	}
	if compared == 0 {
		t.Skip("no valid model")
	}
}

// setsOf returns the counted sets of a folder by their names.
func setsOf(t *testing.T, dir string) map[string]*checkpoint.Checkpoint {
	sess := cli.NewSession(context.Background(), nil, nil, nil, func(string) string { return "off" })
	at, list, err := target.Find(t.Context(), sess, target.Name(dir), checkpoint.Options{HeadersOnly: true})
	if err != nil {
		t.Skip(err)
	}
	sets := make(map[string]*checkpoint.Checkpoint)
	for _, set := range list {
		if set.Counted() {
			cp := set.Open()
			t.Cleanup(func() { cp.Close() })
			sets[at.Path(set.Name)] = cp
		}
	}
	return sets
}
