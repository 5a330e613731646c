// Times as flag values.

package cli

import (
	"errors"
	"time"
)

// A duration is a positive flag value such as 90s or 5m. A number without a unit means seconds.
type duration time.Duration

// String returns the time with its units, or "" if none is set.
func (d *duration) String() string {
	if *d == 0 {
		return ""
	}
	return time.Duration(*d).String()
}

// Type implements pflag.Value.
func (d *duration) Type() string { return "duration" }

// Set parses a time.
func (d *duration) Set(s string) error {
	t, err := time.ParseDuration(s)
	if err != nil {
		t, err = time.ParseDuration(s + "s")
	}
	if err != nil || t <= 0 {
		return errors.New("not a time") // FlagError replaces this text
	}
	*d = duration(t)
	return nil
}
