// Changes: of every kind, in order, however tensors are spread.

package diff

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
)

// tensor returns a tensor of Go values.
func tensor[T safetensors.Element](t *testing.T, name string, data []T, shape ...int64) *safetensors.Tensor {
	t.Helper()
	one, err := safetensors.NewTensor(name, data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// ramp returns n numbers that tell tensors apart.
func ramp(n int, from float32) []float32 {
	data := make([]float32, n)
	for i := range data {
		data[i] = from + float32(i)
	}
	return data
}

// told returns changes, a line for each.
func told(t *testing.T, d *Differ, a, b []*safetensors.Tensor) string {
	t.Helper()
	var lines strings.Builder
	for c, err := range d.Tensors(t.Context(), a, b) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s %s", c.Kind, c.Name)
		if c.Kind == Renamed {
			fmt.Fprintf(&lines, " to %s", c.B.Name)
		}
		if c.SameBytes {
			lines.WriteString(", same bytes")
		}
		if v := c.Values; v != nil {
			fmt.Fprintf(&lines, ", %d of %d differ, %d beyond, %d odd, by %g at %d, %g relative", v.Differ, v.Count, v.Beyond, v.Odd, v.MaxDelta, v.At, v.MaxRelative)
		}
		lines.WriteByte('\n')
	}
	return lines.String()
}

func compared(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// every has a tensor for each kind of change.
func every(t *testing.T) (a, b []*safetensors.Tensor) {
	return []*safetensors.Tensor{
			tensor(t, "same", ramp(100, 0), 100), tensor(t, "changed", ramp(4, 0), 4), tensor(t, "reshaped", ramp(6, 0), 2, 3),
			tensor(t, "retyped", []float32{1, 2}, 2), tensor(t, "larger", ramp(2, 0), 2), tensor(t, "gone", ramp(30, 5), 30),
			tensor(t, "old.w", ramp(50, 7), 50), tensor(t, "bits", []uint32{1, 2}, 2), tensor(t, "empty", []float32{}, 0),
		}, []*safetensors.Tensor{
			tensor(t, "new", ramp(31, 5), 31), tensor(t, "new.w", ramp(50, 7), 50), tensor(t, "empty", []float32{}, 0),
			tensor(t, "retyped", []float64{1, 2}, 2), tensor(t, "larger", ramp(3, 0), 3), tensor(t, "bits", []int32{1, 2}, 2),
			tensor(t, "changed", []float32{0, 1, 2, 5}, 4), tensor(t, "same", ramp(100, 0), 100), tensor(t, "reshaped", ramp(6, 0), 3, 2),
		}
}

func TestEveryKind(t *testing.T) {
	a, b := every(t)
	compared(t, told(t, new(Differ), a, b), `retyped bits, same bytes
changed changed
removed gone
reshaped larger
added new
renamed old.w to new.w
reshaped reshaped, same bytes
retyped retyped
`)
	compared(t, told(t, &Differ{Values: true, Absolute: 2}, a, b), `retyped bits, 0 of 2 differ, 0 beyond, 0 odd, by 0 at -1, 0 relative
changed changed, 1 of 4 differ, 0 beyond, 0 odd, by 2 at 3, 0.6666666666666666 relative
removed gone
reshaped larger
added new
renamed old.w to new.w
reshaped reshaped, same bytes
retyped retyped, 0 of 2 differ, 0 beyond, 0 odd, by 0 at -1, 0 relative
`)
	compared(t, told(t, &Differ{HeadersOnly: true}, a, b), `retyped bits
removed gone
reshaped larger
added new
added new.w
removed old.w
reshaped reshaped
retyped retyped
`)
	compared(t, told(t, &Differ{Values: true}, a, a), "")
	compared(t, told(t, new(Differ), nil, nil), "")
}

// Layers under a new prefix keep their order, though some are alike; what is short, or
// of another shape, is not taken for renamed.
func TestRenames(t *testing.T) {
	zeros := make([]float32, 16)
	compared(t, told(t, new(Differ), []*safetensors.Tensor{
		tensor(t, "l.0.b", zeros, 16), tensor(t, "l.1.b", zeros, 16), tensor(t, "l.2.b", zeros, 16), tensor(t, "s", []float32{1}, 1), tensor(t, "w", zeros, 4, 4),
	}, []*safetensors.Tensor{
		tensor(t, "m.l.1.b", zeros, 16), tensor(t, "m.l.0.b", zeros, 16), tensor(t, "m.s", []float32{1}, 1), tensor(t, "m.w", zeros, 2, 8),
	}), `renamed l.0.b to m.l.0.b
renamed l.1.b to m.l.1.b
removed l.2.b
added m.s
added m.w
removed s
removed w
`)
}

// The same weights in other shards, in another order and with other metadata do not
// differ at all.
func TestCheckpoints(t *testing.T) {
	a, _ := every(t)
	open := func(w shards.Writer, list ...*safetensors.Tensor) *checkpoint.Checkpoint {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "m")
		if _, err := w.Write(t.Context(), dir, list...); err != nil {
			t.Fatal(err)
		}
		cp, err := checkpoint.Open(t.Context(), dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cp.Close() })
		return cp
	}
	one := open(shards.Writer{Encoder: safetensors.Encoder{Metadata: map[string]string{"x": "y"}}}, a...)
	many := open(shards.Writer{MaxShard: 300}, a...)
	if len(many.Shards()) < 2 {
		t.Fatalf("%d shards", len(many.Shards()))
	}
	for c, err := range Checkpoints(t.Context(), one, many) {
		t.Errorf("%+v, %v", c, err)
	}
	less := open(shards.Writer{}, a[1:]...)
	n := 0
	for c, err := range Checkpoints(t.Context(), many, less) {
		if n++; err != nil || c.Kind != Removed || c.Name != "same" {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if n != 1 {
		t.Errorf("%d changes", n)
	}
}

// failing is a source that cannot be read.
type failing struct{ error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.error }

func TestErrors(t *testing.T) {
	gone := errors.New("the disk is gone")
	last := func(d *Differ, ctx context.Context, a, b []*safetensors.Tensor) (err error) {
		for _, err = range d.Tensors(ctx, a, b) {
			if err != nil {
				break
			}
		}
		return err
	}
	for _, tt := range []struct{ err, want error }{{gone, gone}, {io.EOF, io.ErrUnexpectedEOF}, {nil, io.ErrUnexpectedEOF}} {
		for _, name := range []string{"same", "retyped", "old.w"} {
			a, b := every(t)
			for _, one := range a {
				if one.Name == name {
					one.ReaderAt = failing{tt.err}
				}
			}
			if err := last(&Differ{Values: true}, t.Context(), a, b); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v, want %v", name, err, tt.want)
			}
		}
	}
	a, b := every(t)
	if err := last(new(Differ), t.Context(), append(a, a[0]), b); err == nil {
		t.Error("two tensors have one name")
	}
	if err := last(new(Differ), t.Context(), a, append(b, b[0])); err == nil {
		t.Error("two tensors have one name")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if err := last(new(Differ), ctx, a, b); !errors.Is(err, gone) {
		t.Errorf("canceled: %v", err)
	}
	odd := &safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Name: "same", Dtype: "F23", Shape: []int64{100}, Offsets: safetensors.Span{End: 4}}, ReaderAt: strings.NewReader("abcd")}
	if err := last(&Differ{Values: true}, t.Context(), a, []*safetensors.Tensor{odd}); err == nil || !strings.Contains(err.Error(), "its values are not known") {
		t.Errorf("an unknown dtype: %v", err)
	}
}

// Who has seen enough stops, and nothing goes on behind.
func TestStops(t *testing.T) {
	a, b := every(t)
	for range new(Differ).Tensors(t.Context(), a, b) {
		break
	}
}
