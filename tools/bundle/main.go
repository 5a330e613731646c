// Command bundle builds the page of "weigh view" without Node: it downloads the packages that package-lock.json
// names, verifies their checksums, and bundles the page with esbuild.
//
//	go run ./bundle [--check] [FOLDER]     in tools, with GOWORK=off
//
// The same sources and lock file give the same bytes. With --check it writes nothing and fails if the bundle
// that is checked in differs. Exit code 75 means that a download failed.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	check := flag.Bool("check", false, "fail if the bundle is not up to date")
	flag.Parse()
	folder := "../cmd/weigh/internal/viewer/page"
	if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	err := run(folder, *check)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "bundle:", err)
	if errors.Is(err, errDownload) {
		os.Exit(75)
	}
	os.Exit(1)
}

// run builds the page in the folder and writes or compares the files of its folder dist.
func run(folder string, check bool) error {
	packages, err := install(folder)
	if err != nil {
		return err
	}
	files, err := bundle(folder, packages)
	if err != nil {
		return err
	}
	if files["licenses.txt"], err = licenses(packages); err != nil {
		return err
	}
	if files["index.html"], err = os.ReadFile(filepath.Join(folder, "src", "index.html")); err != nil {
		return err
	}
	return deliver(filepath.Join(folder, "dist"), files, check)
}

// bundle returns the script and the style sheet.
func bundle(folder string, packages []npmPackage) (map[string][]byte, error) {
	source, err := filepath.Abs(filepath.Join(folder, "src"))
	if err != nil {
		return nil, err
	}
	plugin := api.Plugin{Name: "locked", Setup: func(build api.PluginBuild) { resolveLocked(build, packages) }}
	result := api.Build(api.BuildOptions{
		EntryPoints:       []string{"app.tsx"},
		AbsWorkingDir:     source,
		Outdir:            source, // nothing is written here
		Bundle:            true,
		Format:            api.FormatIIFE,
		Target:            api.ES2022,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsNone, // licenses.txt has them whole
		Plugins:           []api.Plugin{plugin},
		LogLevel:          api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("esbuild reported %d errors", len(result.Errors))
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[filepath.Base(f.Path)] = f.Contents
	}
	return files, nil
}

// resolveLocked has esbuild find packages where install put them, and nowhere else.
func resolveLocked(build api.PluginBuild, packages []npmPackage) {
	build.OnResolve(api.OnResolveOptions{Filter: "^[^./]"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		if args.PluginData != nil || args.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{}, nil
		}
		for _, p := range packages {
			if args.Path == p.name || strings.HasPrefix(args.Path, p.name+"/") {
				r := build.Resolve(args.Path, api.ResolveOptions{ResolveDir: p.root, Kind: args.Kind, PluginData: true})
				if len(r.Errors) > 0 {
					return api.OnResolveResult{}, fmt.Errorf("%s: %s", args.Path, r.Errors[0].Text)
				}
				return api.OnResolveResult{Path: r.Path, SideEffects: sideEffects(r.SideEffects)}, nil
			}
		}
		return api.OnResolveResult{}, fmt.Errorf("%s is not in package-lock.json", args.Path)
	})
}

func sideEffects(has bool) api.SideEffects {
	if has {
		return api.SideEffectsTrue
	}
	return api.SideEffectsFalse
}

// licenses returns the notices of the packages, as their licenses demand of copies.
func licenses(packages []npmPackage) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("The page of \"weigh view\" contains these packages.\n")
	for _, p := range packages {
		text, err := os.ReadFile(filepath.Join(p.dir, "LICENSE"))
		if err != nil {
			return nil, fmt.Errorf("%s %s has no license file: %w", p.name, p.version, err)
		}
		fmt.Fprintf(&b, "\n%s\n%s %s, %s\n\n%s\n", strings.Repeat("-", 72), p.name, p.version, p.license,
			bytes.TrimSpace(text))
	}
	return b.Bytes(), nil
}

// deliver writes the files, or compares them with those in the folder.
func deliver(dist string, files map[string][]byte, check bool) error {
	var stale []string
	for name, data := range files {
		if old, err := os.ReadFile(filepath.Join(dist, name)); err != nil || !bytes.Equal(old, data) {
			stale = append(stale, name)
		}
	}
	slices.Sort(stale)
	if check {
		if len(stale) > 0 {
			return fmt.Errorf("%s is not up to date: %s. Run: GOWORK=off go run -C tools ./bundle", dist,
				strings.Join(stale, ", "))
		}
		return nil
	}
	if err := os.MkdirAll(dist, 0o777); err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.WriteFile(filepath.Join(dist, name), files[name], 0o666); err != nil {
			return err
		}
	}
	return nil
}
