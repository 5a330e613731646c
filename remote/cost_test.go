// What a look costs: requests, bytes and round trips, counted by the server.

package remote_test

import (
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
)

// TestOneTensor is the course's example: a tensor of 1 MiB behind a server of ranges is
// listed for one request of 64 KiB, and its last element read for one block more.
func TestOneTensor(t *testing.T) {
	header := `{"x":{"dtype":"F32","shape":[262144],"data_offsets":[0,1048576]}}`
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	file = append(append(file, header...), make([]byte, 1<<20)...)
	copy(file[len(file)-4:], "\x00\x00\x28\x42") // 42
	h := objects(map[string][]byte{"model.safetensors": file}, ranged)
	inBubble(t, h, func(t *testing.T, b *bubble) {
		cp, err := checkpoint.Open(t.Context(), "http://weights.example/model.safetensors", &checkpoint.Options{Resolve: b.Open})
		if err != nil {
			t.Fatal(err)
		}
		defer cp.Close()
		x, err := cp.Tensor(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Meter.Cost(); got.Requests != 1 || got.Bytes > 64<<10 {
			t.Errorf("listing it cost %+v, want one request and 64 KiB", got)
		}
		last, err := x.Slice(safetensors.At(-1))
		if err != nil {
			t.Fatal(err)
		}
		values, err := safetensors.Read[float32](last)
		if err != nil || len(values) != 1 || values[0] != 42 {
			t.Errorf("the last element is %v, %v; want 42", values, err)
		}
		if got := b.Meter.Cost(); got.Requests != 2 || got.Bytes > 2*64<<10 {
			t.Errorf("with its last element it cost %+v, want two requests and two blocks", got)
		}
		for _, r := range b.asked() {
			begin, end, _ := asked(r, len(file))
			if n := end - begin; r.Method != http.MethodGet || n > 64<<10 {
				t.Errorf("%s of %d bytes; want GET of a block", r.Method, n)
			}
		}
	})
}

// latency is how long each request takes in a bubble, where time passes only while all
// wait: so what something took, divided by it, is its round trips.
const latency = 100 * time.Millisecond

// A trip is a transport without a network: each request takes that long, and the server
// counts what it sends.
type trip struct {
	http.Handler
	requests, bytes atomic.Int64
	mu              sync.Mutex
	atOnce, most    int
}

func (s *trip) RoundTrip(r *http.Request) (*http.Response, error) {
	s.requests.Add(1)
	s.mu.Lock()
	s.atOnce++
	s.most = max(s.most, s.atOnce)
	s.mu.Unlock()
	time.Sleep(latency)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	s.bytes.Add(int64(w.Body.Len()))
	s.mu.Lock()
	s.atOnce--
	s.mu.Unlock()
	return w.Result(), nil
}

// readHeaders opens a checkpoint and reads all its headers, in a bubble.
func readHeaders(t *testing.T, s *trip, ref string, o *remote.Opener) (tensors int, trips time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		o.Transport = s
		o.Env = func(string) string { return "" }
		cp, err := checkpoint.Open(t.Context(), ref, &checkpoint.Options{Resolve: o.Open, Parallel: 64})
		if err != nil {
			t.Fatal(err)
		}
		defer cp.Close()
		for _, err := range cp.Tensors(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			tensors++
		}
		trips = time.Since(began) / latency
	})
	return tensors, trips
}

// TestManyShards: of this layout the headers have 111,752 bytes and the index has 79,014.
// No request is made that needs not be: one for each file, in two round trips. Since a
// shard's header is asked for before its size is known, 33 bytes too many come of each;
// were there none to spare, other layouts would need second requests.
func TestManyShards(t *testing.T) {
	l := remotetest.NewLayout(remotetest.Qwen72B(), 4e9)
	headers := 0
	for _, head := range l.Heads {
		headers += len(head)
	}
	if len(l.Heads) != 37 || headers != 111_752 || len(l.Index) != 79_014 {
		t.Fatalf("%d shards with %d bytes of headers, and %d of index", len(l.Heads), headers, len(l.Index))
	}
	s := &trip{Handler: l}
	tensors, trips := readHeaders(t, s, "http://weights.example/qwen/", &remote.Opener{Meter: new(remote.Meter)})
	if tensors != 963 {
		t.Errorf("%d tensors, want 3 and 12 in each of 80 layers", tensors)
	}
	if n, sent := s.requests.Load(), s.bytes.Load(); n != 38 || sent > 192_000 {
		t.Errorf("%d requests for %d bytes, want 38 for 192,000", n, sent)
	}
	if trips > 3 {
		t.Errorf("%d round trips, want three at most", trips)
	}
	t.Logf("%d requests, %d bytes, %d round trips, %d requests at once", s.requests.Load(), s.bytes.Load(), trips, s.most)
}
