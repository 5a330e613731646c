// The login of the Azure CLI.

package azure

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// findCLI returns the tokens of the user who is logged in with the Azure CLI, or nil if there is none.
func findCLI(s *fetch.Shared) *tokens {
	folder := cmp.Or(s.Env("AZURE_CONFIG_DIR"), filepath.Join(cmp.Or(s.Env("HOME"), s.Env("USERPROFILE")), ".azure"))
	if _, err := os.Stat(filepath.Join(folder, "azureProfile.json")); err != nil || s.Offline() {
		return nil
	}
	program, err := exec.LookPath("az")
	if err != nil {
		return nil
	}
	return &tokens{what: "the user of the Azure CLI", obtain: func(ctx context.Context) (grant, error) {
		return askCLI(ctx, program)
	}}
}

// askCLI runs the Azure CLI, which prints a token.
func askCLI(ctx context.Context, program string) (g grant, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "account", "get-access-token", "--resource", resource, "--output", "json")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, time.Second
	if err := cmd.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			first = err.Error()
		}
		return g, fetch.Reason(fs.ErrPermission, fmt.Sprintf("no token from `az account get-access-token`: %.300q", first))
	}
	var answer struct {
		Token   string `json:"accessToken"`
		Expires int64  `json:"expires_on"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || answer.Token == "" {
		return g, fetch.Reason(fs.ErrPermission, "`az account get-access-token` prints no token: log in with `az login`")
	}
	return grant{answer.Token, time.Unix(answer.Expires, 0)}, nil
}
