package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// serveSample serves the sample model on a local web server.
func serveSample() *httptest.Server {
	return httptest.NewServer(http.FileServer(http.Dir("../testdata/sample")))
}

// List the tensors of a remote model. The same works for hf://org/repo, and for s3:// and gs://
// if Buckets is set.
func ExampleOpener() {
	server := serveSample()
	defer server.Close()

	ctx := context.Background()
	opener := &remote.Opener{Meter: new(remote.Meter)}
	cp, err := checkpoint.Open(ctx, server.URL+"/model.safetensors.index.json", &checkpoint.Options{Resolve: opener.Open})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cp.Close()
	tensors := 0
	for _, err := range cp.Tensors(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		tensors++
	}
	fmt.Println(tensors, "tensors,", opener.Meter.Cost().Requests, "requests")
	// Output: 6 tensors, 3 requests
}

// Download a file. If it is interrupted, the next run resumes it.
func ExampleDownload() {
	server := serveSample()
	defer server.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	ref, err := store.Parse(server.URL + "/config.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := remote.Resolve(ctx, ref)
	if err != nil {
		fmt.Println(err)
		return
	}
	o, err := s.Open(ctx, ref.Path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer o.Close()
	path := filepath.Join(dir, ref.Path)
	if _, err := new(remote.Download).Run(ctx, o, path); err != nil {
		fmt.Println(err)
		return
	}
	_, err = new(remote.Download).Run(ctx, o, path)
	fmt.Println("exists:", errors.Is(err, fs.ErrExist))
	// Output: exists: true
}
