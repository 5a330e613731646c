// Files that were downloaded, and objects that have been replaced since.

package remote_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote"
)

func TestRemembers(t *testing.T) {
	const before, after = "Mon, 02 Jan 2006 15:04:05 GMT", "Tue, 03 Jan 2006 15:04:05 GMT"
	content := pattern(1000)
	for _, test := range []struct {
		name              string
		tag, date         string // when it was downloaded
		newTag, newDate   string // when it is compared
		forgotten, edited bool
		age               time.Duration // of the file
		same, known       bool
	}{
		{name: "the same", tag: `"1"`, date: before, newTag: `"1"`, newDate: before, same: true, known: true},
		{name: "another ETag", tag: `"1"`, date: before, newTag: `"2"`, newDate: before, known: true},
		{name: "another date", tag: `"1"`, date: before, newTag: `"1"`, newDate: after, known: true},
		{name: "only a date", date: before, newDate: before, same: true, known: true},
		{name: "only another date", date: before, newDate: after, known: true},
		{name: "the same weak ETag", tag: `W/"1"`, newTag: `W/"1"`, same: true},
		{name: "another weak ETag", tag: `W/"1"`, newTag: `W/"2"`, known: true},
		{name: "nothing"},
		{name: "forgotten", tag: `"1"`, date: before, newTag: `"2"`, newDate: before, forgotten: true},
		{name: "forgotten, and older", tag: `"1"`, newTag: `"2"`, newDate: after, forgotten: true,
			age: 50 * 365 * 24 * time.Hour, known: true},
		{name: "edited", tag: `"1"`, newTag: `"1"`, edited: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			tag, date := test.tag, test.date
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				for name, value := range map[string]string{"ETag": tag, "Last-Modified": date} {
					if value != "" {
						w.Header().Set(name, value)
					}
				}
				ranged(w, r, content)
			}))
			path, dir := filepath.Join(t.TempDir(), "model"), t.TempDir()
			first := &remote.Opener{CacheDir: dir}
			o, err := open(t, first, url).Open(t.Context(), "model")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := new(remote.Download).Run(t.Context(), o, path); err != nil {
				t.Fatal(err)
			}
			first.Remember(o, path)
			if test.forgotten {
				dir = t.TempDir()
			}
			if test.edited || test.age > 0 {
				date := time.Now().Add(-max(test.age, time.Minute))
				if err := os.Chtimes(path, date, date); err != nil {
					t.Fatal(err)
				}
			}
			tag, date = test.newTag, test.newDate
			second := &remote.Opener{CacheDir: dir}
			if o, err = open(t, second, url).Open(t.Context(), "model"); err != nil {
				t.Fatal(err)
			}
			if same, known := second.Remembers(o, path); same != test.same || known != test.known {
				t.Errorf("same %t, known %t; want %t, %t", same, known, test.same, test.known)
			}
		})
	}
}
