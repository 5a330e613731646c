// What a look costs: requests, bytes and round trips, counted by the server.

package remote_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/remote"
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

// A layout is a model of which there are headers, an index, and the size of the rest.
type layout struct {
	heads map[string][]byte // the length and header of each shard
	sizes map[string]int64  // of each shard
	index []byte
}

// A param is a tensor of BF16.
type param struct {
	name  string
	shape []int64
}

func (p param) bytes() int64 {
	n := int64(2)
	for _, d := range p.shape {
		n *= d
	}
	return n
}

// newLayout puts tensors into shards of at most so many bytes, as the library
// transformers does it, and writes headers and index as that does.
func newLayout(tensors []param, most int64) *layout {
	var shards [][]param
	var sum int64
	for _, p := range tensors {
		if len(shards) == 0 || sum+p.bytes() > most {
			shards, sum = append(shards, nil), 0
		}
		shards[len(shards)-1] = append(shards[len(shards)-1], p)
		sum += p.bytes()
	}
	l := &layout{heads: make(map[string][]byte), sizes: make(map[string]int64)}
	where := make(map[string]string)
	for i, shard := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, len(shards))
		slices.SortFunc(shard, func(a, b param) int { return strings.Compare(a.name, b.name) })
		header := []byte(`{"__metadata__":{"format":"pt"}`)
		var at int64
		for _, p := range shard {
			shape, _ := json.Marshal(p.shape)
			header = fmt.Appendf(header, `,%q:{"dtype":"BF16","shape":%s,"data_offsets":[%d,%d]}`, p.name, shape, at, at+p.bytes())
			at += p.bytes()
			where[p.name] = name
		}
		header = append(header, '}')
		for len(header)%8 != 0 {
			header = append(header, ' ')
		}
		l.heads[name] = append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
		l.sizes[name] = int64(len(l.heads[name])) + at
	}
	l.index = []byte("{\n  \"metadata\": {\n    \"total_size\": 1\n  },\n  \"weight_map\": {")
	for i, name := range slices.Sorted(maps.Keys(where)) {
		if i > 0 {
			l.index = append(l.index, ',')
		}
		l.index = fmt.Appendf(l.index, "\n    %q: %q", name, where[name])
	}
	l.index = append(l.index, "\n  }\n}\n"...)
	return l
}

// ServeHTTP serves ranges of the layout. Past the headers there are zeros.
func (l *layout) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	content, size := l.heads[name], l.sizes[name]
	if name == "model.safetensors.index.json" {
		content, size = l.index, int64(len(l.index))
	} else if content == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	begin, end, _ := asked(r, int(size))
	part := make([]byte, end-begin)
	copy(part, content[min(begin, len(content)):])
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, end-1, size))
	w.Header().Set("Content-Length", fmt.Sprint(len(part)))
	w.Header().Set("ETag", `"1"`)
	w.WriteHeader(http.StatusPartialContent)
	w.Write(part)
}

// qwen72B are the tensors of Qwen2.5-72B, by its config.json: 80 layers of 8192, 8 key
// and value heads of 128, and 29568 in between.
func qwen72B() []param {
	const width, inner, kv, vocabulary = 8192, 29568, 1024, 152064
	all := []param{{"model.embed_tokens.weight", []int64{vocabulary, width}}}
	for i := range 80 {
		add := func(name string, shape ...int64) {
			all = append(all, param{fmt.Sprintf("model.layers.%d.%s", i, name), shape})
		}
		for name, rows := range map[string]int64{"q": width, "k": kv, "v": kv} {
			add("self_attn."+name+"_proj.weight", rows, width)
			add("self_attn."+name+"_proj.bias", rows)
		}
		add("self_attn.o_proj.weight", width, width)
		add("mlp.gate_proj.weight", inner, width)
		add("mlp.up_proj.weight", inner, width)
		add("mlp.down_proj.weight", width, inner)
		add("input_layernorm.weight", width)
		add("post_attention_layernorm.weight", width)
		slices.SortFunc(all[len(all)-12:], func(a, b param) int { return strings.Compare(a.name, b.name) })
	}
	return append(all, param{"model.norm.weight", []int64{width}}, param{"lm_head.weight", []int64{vocabulary, width}})
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
// shard's header is asked for before its size is known, 33 bytes too many come of each; were it
// many fewer, other layouts would need second requests.
func TestManyShards(t *testing.T) {
	l := newLayout(qwen72B(), 4e9)
	headers := 0
	for _, head := range l.heads {
		headers += len(head)
	}
	if len(l.heads) != 37 || headers != 111_752 || len(l.index) != 79_014 {
		t.Fatalf("%d shards with %d bytes of headers, and %d of index", len(l.heads), headers, len(l.index))
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
