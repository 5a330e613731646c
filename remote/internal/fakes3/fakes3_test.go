// Package fakes3 tests buckets with the server gofakes3. It is a module of its own, so that
// importers of package remote do not get the modules that this server needs.
package fakes3

import (
	"bytes"
	"net/http/httptest"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/bucket"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

func TestS3(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"signed":    {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-central-1"},
		"anonymous": {"AWS_EC2_METADATA_DISABLED": "1"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				return open(t, "s3://weights", env, "AWS_ENDPOINT_URL", serve(t, files))
			})
		})
	}
}

func TestGCS(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return open(t, "gs://weights", nil, "STORAGE_EMULATOR_HOST", serve(t, files))
	})
}

// serve serves the bucket "weights" and returns the server's URL.
func serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("weights"); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if _, err := backend.PutObject("weights", name, nil, bytes.NewReader(content), int64(len(content)), nil); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return server.URL
}

// open opens the store of a ref with an environment and one more variable.
func open(t *testing.T, ref string, env map[string]string, name, value string) store.Store {
	t.Helper()
	r, err := store.Parse(ref)
	if err != nil {
		t.Fatal(err)
	}
	o := &remote.Opener{Buckets: bucket.Open, Env: func(asked string) string {
		if asked == name {
			return value
		}
		return env[asked]
	}}
	s, err := o.Open(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
