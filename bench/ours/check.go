// Validation of a whole set, as weigh check does without --data.

package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// timeCheck times the validation of a folder, from its listing to the last finding.
func timeCheck(folder, iters string) (map[string]float64, error) {
	tensors, err := judge(folder)
	if err != nil {
		return nil, err
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if _, err := judge(folder); err != nil {
		return nil, err
	}
	runtime.ReadMemStats(&after)
	ns, err := mean(iters, func() error {
		_, err := judge(folder)
		return err
	})
	return map[string]float64{
		"ns": ns, "tensors": float64(tensors),
		"bytes": float64(after.TotalAlloc - before.TotalAlloc), "allocs": float64(after.Mallocs - before.Mallocs),
	}, err
}

// judge validates the folder and returns its number of tensors. The inputs are valid, so a finding above a note is an
// error.
func judge(folder string) (tensors int, err error) {
	ctx, from := context.Background(), store.Dir(folder)
	sets, err := checkpoint.Discover(ctx, from, "", nil)
	if err != nil {
		return 0, err
	}
	for _, set := range sets {
		cp := set.Open()
		for r, err := range cp.Validate(ctx) {
			if err == nil {
				err = r.Err()
			}
			if err != nil {
				return 0, fmt.Errorf("%s: %w", r.File, err)
			}
			if r.Header != nil {
				tensors += len(r.Header.Tensors)
			}
		}
		if err := cp.Close(); err != nil {
			return 0, err
		}
	}
	for r, err := range check.Validate(ctx, from, "", sets, nil) {
		if err == nil {
			err = r.Err()
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.File, err)
		}
	}
	return tensors, nil
}
