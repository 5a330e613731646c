// Pickles of the corpus that are part of a file or an archive.

package pickle

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"testing"
)

// TestArchives analyzes the pickles in PyTorch archives that archive/zip can open. If an archive is safe, so is its
// pickle; if it is dangerous only because of imports, so is its pickle.
func TestArchives(t *testing.T) {
	for _, s := range allSamples(t) {
		if s.container != "torch-zip" && s.container != "zip" {
			continue
		}
		t.Run(s.id, func(t *testing.T) {
			b := s.read(t)
			z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Skip(err)
			}
			worst := Safe
			for _, f := range z.File {
				if s.verdict == "safe" && path.Base(f.Name) != "data.pkl" {
					continue
				}
				if r, err := f.Open(); err == nil {
					if data, err := io.ReadAll(r); err == nil {
						worst = max(worst, analyzed(t, data).Verdict)
					}
				}
			}
			if s.verdict == "safe" && worst != Safe || s.verdict == "dangerous" && len(s.findings) == 0 && worst != Dangerous {
				t.Errorf("verdict %s, want %s", worst, s.verdict)
			}
		})
	}
}

// TestLegacyStreams analyzes the five pickles at the start of old PyTorch files. The tensor data follows them.
func TestLegacyStreams(t *testing.T) {
	for _, s := range allSamples(t) {
		if s.container != "torch-legacy" || s.verdict != "safe" {
			continue
		}
		t.Run(s.id, func(t *testing.T) {
			b := s.read(t)
			g, err := Load(bytes.NewReader(b), int64(len(b)), &Options{MaxStreams: 5})
			if err != nil {
				t.Fatal(err)
			}
			r := g.Report
			if r.Verdict != Safe || !r.Complete || len(r.Streams) != 5 || len(g.Roots()) != 5 {
				t.Errorf("%s, complete %v, %d streams: %v", r.Verdict, r.Complete, len(r.Streams), r.Findings)
			}
			if magic := g.Roots()[0].BigInt(); magic == nil || magic.Text(16) != "1950a86a20f9469cfc6c" {
				t.Errorf("the magic number is %v", magic)
			}
			keys := g.Roots()[4]
			if keys.Kind() != KindList || keys.Len() == 0 || r.End >= int64(len(b)) {
				t.Errorf("the keys are a %s of %d, and the pickles end at %d of %d", keys.Kind(), keys.Len(), r.End, len(b))
			}
		})
	}
}

func analyzed(t testing.TB, b []byte) *Report {
	t.Helper()
	r, err := Analyze(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
