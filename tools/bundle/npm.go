// Packages from the npm registry, as package-lock.json names them.

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// errDownload is in the chain of an error if a package could not be downloaded.
var errDownload = errors.New("download failed")

const registry = "https://registry.npmjs.org"

// maxPackage is how large a package can be, in bytes.
const maxPackage = 32 << 20

// An npmPackage is a package that the bundle may contain.
type npmPackage struct {
	name, version, license string
	root                   string // the folder whose node_modules has it
	dir                    string // its own folder in there
}

// install unpacks the packages that the lock file names, except those for development only, into the user's cache.
// The folder of each has the checksum in its name, so it never changes.
func install(folder string) ([]npmPackage, error) {
	var lock struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev                         bool
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err == nil {
		err = json.Unmarshal(data, &lock)
	}
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	var packages []npmPackage
	for key, p := range lock.Packages {
		name, ok := strings.CutPrefix(key, "node_modules/")
		if !ok || p.Dev {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil || len(sum) != sha512.Size {
			return nil, fmt.Errorf("%s: integrity is not a SHA-512: %q", name, p.Integrity)
		}
		root := filepath.Join(cache, "weigh-bundle", hex.EncodeToString(sum[:16]))
		dir := filepath.Join(root, "node_modules", filepath.FromSlash(name))
		if _, err := os.Stat(dir); err != nil {
			url := fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, name, path.Base(name), p.Version)
			if err := fetch(url, sum, root, filepath.FromSlash(name)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		packages = append(packages, npmPackage{name, p.Version, p.License, root, dir})
	}
	slices.SortFunc(packages, func(a, b npmPackage) int { return strings.Compare(a.name, b.name) })
	return packages, nil
}

// fetch downloads the package, compares its checksum and unpacks it whole or not at all.
func fetch(url string, sum []byte, root, name string) error {
	client := http.Client{Timeout: 2 * time.Minute}
	response, err := client.Get(url)
	if err != nil {
		return fmt.Errorf("%w: %w", errDownload, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxPackage))
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s: %s: %v", errDownload, url, response.Status, err)
	}
	if got := sha512.Sum512(data); !bytes.Equal(got[:], sum) {
		return fmt.Errorf("%s has SHA-512 %x, package-lock.json has %x", url, got, sum)
	}
	if err := os.MkdirAll(filepath.Dir(root), 0o777); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(root), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := unpack(data, filepath.Join(temporary, "node_modules", name)); err != nil {
		return err
	}
	return os.Rename(temporary, root)
}

// unpack writes the files of an npm archive, which are below one folder, into dir.
func unpack(data []byte, dir string) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	archive := tar.NewReader(unzipped)
	for {
		entry, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(entry.Name, "/")
		if entry.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			continue
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o666); err != nil {
			return err
		}
	}
}
