// A mutex for which one can wait until a context is done.

package shard

import "context"

// A Turn is a mutex for which one can wait until a context is done. It is a channel of
// capacity 1 that holds a token while someone has the turn.
type Turn chan struct{}

// NewTurn returns a turn that is free.
func NewTurn() Turn { return make(Turn, 1) }

// Wait waits for the turn. The error is the cause of the end of ctx.
func (t Turn) Wait(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case t <- struct{}{}:
			return nil
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// End passes the turn on.
func (t Turn) End() { <-t }
