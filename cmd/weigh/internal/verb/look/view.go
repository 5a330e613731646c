// The command view.

package look

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/page"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/site"
)

// viewFlags are the flags of view.
type viewFlags struct {
	cli.Output
	listen, export  string
	silent, lenient bool
}

// View returns the command.
func View(sess *cli.Session) *cobra.Command {
	var f viewFlags
	cmd := &cobra.Command{
		Use:   "view TARGET...",
		Short: "Show models in a browser",
		Long: `Show models in a browser: what they are, their tensors as a tree and a table, the
values of a tensor as a heat map and a histogram, statistics over layers, and the
bytes of files. With two targets, also their differences.

View starts a server on this machine, prints its URL and opens it in your browser.
The URL has a secret token, and only this machine can connect, unless --listen
names another address. Files are only read, and nothing is uploaded. Press Ctrl-C
to stop the server.

For remote targets, view downloads headers, and values only when a page shows them:
at most 8 MiB for a heat map, which shows a sample of the rows if that is too little.`,
		Example: `  weigh view testdata/sample
  weigh view --export sample.html testdata/sample
  weigh view --no-open --listen 127.0.0.1:8080 testdata/sample`,
		Args: cli.TargetArgs(0, "a target: a file, a folder, an index or a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.export != "" && (cmd.Flags().Changed("listen") || f.silent) {
				return cli.Usagef("--export writes a file and starts no server: leave out --listen and --no-open")
			}
			return runView(cmd.Context(), sess, target.Names(args), &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:0", "listen on `ADDRESS`; port 0 means any free port")
	cli.FileVar(fl, &f.export, "export", "write a page to `FILE` that works without a server, and exit")
	fl.BoolVar(&f.Force, "force", false, "with --export, overwrite any file but the input")
	fl.BoolVar(&f.silent, "no-open", false, "print the URL without opening a browser")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	return cmd
}

// runView serves the targets until the program is interrupted.
func runView(ctx context.Context, sess *cli.Session, names []target.Name, f *viewFlags) error {
	f.File = f.export
	if err := f.Output.Check(); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return cli.Usagef("--listen needs an address such as 127.0.0.1:8080, not %q", target.Name(f.listen).String())
	}
	v, err := viewer.Open(ctx, sess, names, viewer.Options{Lenient: f.lenient, Page: page.FS(), Version: cli.Build().Version})
	if err != nil {
		return err
	}
	defer v.Close()
	// Headers are most of the memory, and the garbage of requests should not double it.
	debug.SetMemoryLimit(3*v.HeaderBytes() + 96<<20)
	if f.export != "" {
		return sess.Write(&f.Output, func(w io.Writer, _ typeset.Style) error { return v.Export(ctx, w) })
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return err
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		sess.Notice("the server listens on %s: other machines can connect, and see everything if they get the URL", l.Addr())
	}
	guard := site.NewGuard(l.Addr(), f.listen)
	fmt.Fprintf(sess.Stdout, "%s\n", guard.URL())
	if !f.silent {
		site.Browse(guard.URL(), sess.Env)
	}
	return site.Serve(ctx, l, guard.Protect(v))
}
