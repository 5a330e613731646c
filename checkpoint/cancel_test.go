// What ends early: contexts that are done, errors that pass, loops that are left.

package checkpoint_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"

	"github.com/weightools/safetensors/checkpoint"
)

func TestCancel(t *testing.T) {
	cp := two(t).open(t, "", nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	one, err := cp.Tensor(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	cancel(why)
	if _, err := one.Bytes(); !errors.Is(err, why) {
		t.Errorf("a read of a tensor after its context is done: %v", err)
	}
	if _, err := cp.Tensor(ctx, "b"); !errors.Is(err, why) {
		t.Errorf("a tensor of a shard that was not open: %v", err)
	}
	n := 0
	for _, err := range cp.Tensors(ctx) {
		if n++; !errors.Is(err, why) {
			t.Errorf("tensors: %v", err)
		}
	}
	for r, err := range cp.Validate(ctx) {
		if n++; !errors.Is(err, why) || r.Report != nil {
			t.Errorf("validate: %v, %v", r, err)
		}
	}
	if n != 2 {
		t.Errorf("%d errors, want one of Tensors and one of Validate", n)
	}
	if _, err := checkpoint.New(ctx, two(t).store(), "", nil); !errors.Is(err, why) {
		t.Errorf("New: %v", err)
	}
	// What one context has cut short is begun again for the next.
	if got, err := tensors(t, cp); len(got) != 3 || err != nil {
		t.Errorf("tensors afterwards: %q, %v", got, err)
	}
}

// TestCancelMidway cancels while one goroutine reads a header and another waits
// for it.
func TestCancelMidway(t *testing.T) {
	reading := make(chan bool)
	s := &spy{Store: two(t).store()}
	s.fail = func(ctx context.Context, op string) error {
		if op == "read "+shardOne && ctx.Value(key{}) != nil {
			reading <- true
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return nil
	}
	cp := open(t, listingSpy{s}, "", nil)
	slow, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, true))
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := cp.Header(slow, shardOne); !errors.Is(err, context.Canceled) {
			t.Errorf("the reader: %v", err)
		}
	})
	<-reading
	impatient, giveUp := context.WithCancel(t.Context())
	giveUp()
	if _, err := cp.Header(impatient, shardOne); !errors.Is(err, context.Canceled) {
		t.Errorf("one who does not wait: %v", err)
	}
	all.Go(func() {
		if _, err := cp.Header(t.Context(), shardOne); err != nil {
			t.Errorf("one who waits: %v", err)
		}
	})
	cancel()
	all.Wait()
}

type key struct{}

func TestReadErrorsAreNotKept(t *testing.T) {
	failed := errors.New("the cable is out")
	s := &spy{Store: two(t).store(), fail: func(_ context.Context, op string) error {
		if op == "read "+shardOne {
			return failed
		}
		return nil
	}}
	cp := open(t, listingSpy{s}, "", nil)
	_, err := cp.Tensor(t.Context(), "a")
	var path *fs.PathError
	if !errors.Is(err, failed) || !errors.As(err, &path) || path.Path != shardOne {
		t.Errorf("the error is %v, want that of reading %s", err, shardOne)
	}
	s.fail = nil
	if _, err := cp.Tensor(t.Context(), "a"); err != nil {
		t.Errorf("after the fault is gone: %v", err)
	}
}

func TestStoppingEarly(t *testing.T) {
	s := &spy{Store: two(t).store()}
	cp := open(t, listingSpy{s}, "", nil)
	for range cp.Validate(t.Context()) {
		break
	}
	for range cp.Tensors(t.Context()) {
		break
	}
	if err := cp.Close(); err != nil || s.open != 0 {
		t.Errorf("%d objects are open: %v", s.open, err)
	}
}
