// The server.

package site

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"
)

// Serve answers requests at a listener until ctx is done.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) || ctx.Err() == nil {
		return err
	}
	return nil
}

// Browse opens a URL in the browser of the user. It returns false if there is none, as on a machine without a display.
func Browse(url string, env func(string) string) bool {
	var cmd *exec.Cmd
	switch {
	case runtime.GOOS == "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", url)
	case runtime.GOOS == "darwin":
		cmd = exec.Command("open", url)
	case env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "":
		return false
	default:
		cmd = exec.Command("xdg-open", url)
	}
	if cmd.Start() != nil {
		return false
	}
	go func() { _ = cmd.Wait() }()
	return true
}
