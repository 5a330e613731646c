// Servers that are not ours pass the suite of stores, where they are installed.

package remote_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

func TestNginx(t *testing.T) {
	for name, directives := range remotetest.NginxWays {
		if testing.Short() && directives != "" {
			continue // each starts a server for each test of the suite
		}
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				return open(t, new(remote.Opener), remotetest.Nginx(t, folder(t, files), directives))
			})
		})
	}
}

// TestPython: HTTP/1.0, and no ranges.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server for each test of the suite")
	}
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		return open(t, new(remote.Opener), remotetest.Python(t, folder(t, files)))
	})
}

// TestNginxAlwaysCompresses: one that sends what was compressed before, asked or not.
func TestNginxAlwaysCompresses(t *testing.T) {
	root := folder(t, map[string][]byte{"model": pattern(100), "model.gz": pattern(50)})
	s := open(t, new(remote.Opener), remotetest.Nginx(t, root, "gzip_static always;"))
	if _, err := s.Open(t.Context(), "model"); err == nil || !strings.Contains(err.Error(), `sends the object with encoding "gzip"`) {
		t.Errorf("the error is %v", err)
	}
}

// A gateway of S3's language, to who signs and to everybody. What is not public says so.
func TestGateway(t *testing.T) {
	for _, signed := range []bool{true, false} {
		t.Run(fmt.Sprintf("signed=%t", signed), func(t *testing.T) {
			storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
				g := remotetest.NewGateway(t)
				for name, content := range files {
					g.Put(name, content)
				}
				vars := []string{"AWS_ENDPOINT_URL=" + g.URL, "AWS_EC2_METADATA_DISABLED=1"}
				if signed {
					vars = append(vars, "AWS_ACCESS_KEY_ID="+g.ID, "AWS_SECRET_ACCESS_KEY="+g.Secret)
				} else {
					g.Publish()
				}
				return open(t, &remote.Opener{Env: remotetest.Env(vars...)}, "s3://weights")
			})
		})
	}
}

// TestGatewayOfMany lists more objects than a page has, of which some lie in the folder.
func TestGatewayOfMany(t *testing.T) {
	g := remotetest.NewGateway(t)
	files := make(map[string][]byte)
	for i := range 1500 {
		files[fmt.Sprintf("in/%04d", i)] = []byte{1}
	}
	files["in2/x"], files["before"] = []byte{1}, []byte{1}
	g.Fill(files)
	o := &remote.Opener{Meter: new(remote.Meter), Env: remotetest.Env("AWS_ENDPOINT_URL="+g.URL, "AWS_ACCESS_KEY_ID="+g.ID,
		"AWS_SECRET_ACCESS_KEY="+g.Secret)}
	n := 0
	for e, err := range open(t, o, "s3://weights").(store.Lister).List(t.Context(), "in") {
		if err != nil || e.Name != fmt.Sprintf("in/%04d", n) || e.Size != 1 {
			t.Fatalf("%+v, %v, want in/%04d", e, err, n)
		}
		n++
	}
	if got := o.Meter.Cost().Requests; n != 1500 || got != 2 {
		t.Errorf("%d objects for %d requests, want 1,500 for two", n, got)
	}
}

// TestGatewayPresigned: a URL that is signed for GET alone, and for everybody.
func TestGatewayPresigned(t *testing.T) {
	g := remotetest.NewGateway(t)
	content := pattern(300_000)
	g.Put("dir/a model.safetensors", content)
	url := g.Presign("dir/a model.safetensors")
	if resp, err := http.Head(url); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("HEAD: %v, %v; want that it is refused", resp, err)
	}
	ref, err := store.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ spoilt, want string }{{"", ""}, {"0", "a signed URL may have expired"}} {
		s := open(t, new(remote.Opener), url+test.spoilt)
		o, err := s.Open(t.Context(), ref.Path)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "Signature") {
				t.Errorf("with a wrong signature: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		check(t, o, content, 250_000, 10_000)
		path := filepath.Join(t.TempDir(), "model")
		if _, err := new(remote.Download).Run(t.Context(), o, path); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || sum(got) != sum(content) {
			t.Errorf("%d bytes were fetched: %v", len(got), err)
		}
	}
}
