// Manifests: from a tag or digest to the layers of an artifact.

package oci

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

const (
	maxManifest = 4 << 20 // bytes; what registries are required to accept
	maxLayers   = 10_000
	maxDepth    = 3 // of indexes in indexes
)

// A manifest is the manifest of an artifact, or an index of manifests.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	Layers        []layer      `json:"layers"`
	Manifests     []descriptor `json:"manifests"`
}

func parseManifest(text []byte) (*manifest, error) {
	m := new(manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("the answer is not a manifest: %w", err)
	}
	switch {
	case m.SchemaVersion == 1:
		return nil, errors.New("the manifest has schema version 1, which registries have dropped: push it again")
	case m.Layers == nil && m.Manifests == nil:
		return nil, errors.New("the manifest has neither layers nor manifests")
	case m.Layers != nil && m.Manifests != nil:
		return nil, errors.New("the manifest has both layers and manifests, so that it can be read in two ways")
	case len(m.Layers) > maxLayers:
		return nil, fmt.Errorf("the manifest has %d layers, more than %d", len(m.Layers), maxLayers)
	}
	for _, d := range m.Manifests {
		if err := d.check(); err != nil {
			return nil, err
		}
	}
	for _, l := range m.Layers {
		if err := l.check(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// resolve fetches the manifest of the artifact, if need be through indexes.
func (a *artifact) resolve(ctx context.Context) (*manifest, error) {
	reference, size := a.ref.Revision, int64(-1)
	for range maxDepth + 1 {
		m, err := a.manifest(ctx, reference, size)
		if err != nil || m.Manifests == nil {
			return m, err
		}
		d, err := choose(m.Manifests)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.ref, err)
		}
		reference, size = d.Digest, d.Size
	}
	return nil, fmt.Errorf("%s: more than %d indexes are nested", a.ref, maxDepth)
}

// manifest fetches the manifest with a digest or tag. An index says its size; otherwise size is -1.
func (a *artifact) manifest(ctx context.Context, reference string, size int64) (*manifest, error) {
	tagged := a.base.JoinPath("manifests", reference)
	digest := reference
	if !strings.HasPrefix(reference, sha256Prefix) {
		digest = ""
		if a.shared.Offline() {
			digest = string(a.shared.Saved(tagged))
		}
	}
	if digest != "" {
		text := a.shared.Saved(a.base.JoinPath("manifests", digest))
		if text != nil && digestOf(text) == digest {
			a.shared.Hit()
			return parseManifest(text)
		}
	}
	text, said, err := a.download(ctx, tagged)
	if err != nil {
		return nil, err
	}
	got := digestOf(text)
	switch {
	case digest != "" && got != digest:
		err = fmt.Errorf("the manifest has the digest %s, not the one that was requested", got)
	case digest == "" && strings.HasPrefix(said, sha256Prefix) && got != said:
		err = fmt.Errorf("the manifest has the digest %s, and the registry says %.80q", got, said)
	case size >= 0 && int64(len(text)) != size:
		err = fmt.Errorf("the manifest has %d bytes, and should have %d by the index", len(text), size)
	}
	if err != nil {
		return nil, fetch.BadDocument(tagged, err)
	}
	m, err := parseManifest(text)
	if err != nil {
		return nil, fetch.BadDocument(tagged, err)
	}
	if digest == "" {
		a.shared.Save(tagged, []byte(got))
	}
	a.shared.Save(a.base.JoinPath("manifests", got), text)
	return m, nil
}

// download fetches a manifest, and the digest that the registry says it has.
func (a *artifact) download(ctx context.Context, u *url.URL) (text []byte, said string, err error) {
	err = a.try(func() error {
		s := a.source("", nil)
		s.URL = u
		body, header, err := a.shared.Document(ctx, s)
		if err != nil {
			return err
		}
		if len(body) > maxManifest {
			return fetch.BadDocument(u, fmt.Errorf("the manifest has more than %d bytes", maxManifest))
		}
		text, said = body, header.Get("Docker-Content-Digest")
		return nil
	})
	return text, said, err
}

// choose returns the manifest of an index that is a model: the only one, or the only one that says so.
func choose(all []descriptor) (descriptor, error) {
	all = slices.DeleteFunc(slices.Clone(all), func(d descriptor) bool {
		return d.Annotations["vnd.docker.reference.type"] != "" // an attestation of another one
	})
	models := slices.DeleteFunc(slices.Clone(all), func(d descriptor) bool {
		return !strings.Contains(d.ArtifactType, "model") && !strings.HasPrefix(d.ArtifactType, "application/vnd.docker.ai.")
	})
	switch {
	case len(models) == 1:
		return models[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return descriptor{}, errors.New("the index has no manifests")
	}
	var choices []string
	for _, d := range all[:min(len(all), 8)] {
		choices = append(choices, fmt.Sprintf("@%s (%.20q)", d.Digest, d.Platform.OS+"/"+d.Platform.Architecture))
	}
	return descriptor{}, fmt.Errorf("the index has %d manifests: choose one by its digest, %s", len(all),
		strings.Join(choices, ", "))
}
