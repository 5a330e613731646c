// The login of the Azure CLI.

package azure

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// findCLI returns the tokens of the Azure CLI, or nil if no user is logged in.
func findCLI(s *fetch.Shared) *tokens {
	folder := cmp.Or(s.Env("AZURE_CONFIG_DIR"), filepath.Join(auth.Home(s), ".azure"))
	if _, err := os.Stat(filepath.Join(folder, "azureProfile.json")); err != nil || s.Offline() {
		return nil
	}
	program, err := exec.LookPath("az")
	if err != nil {
		return nil
	}
	return &tokens{what: "the user of the Azure CLI", obtain: func(ctx context.Context) (auth.Token, error) {
		return askCLI(ctx, program)
	}}
}

// askCLI runs the Azure CLI, which prints a token.
func askCLI(ctx context.Context, program string) (auth.Token, error) {
	text, failure, err := auth.Run(ctx, "", program, "account", "get-access-token", "--resource", resource, "--output",
		"json")
	if err != nil {
		failure = err.Error()
	}
	if failure != "" {
		return auth.Token{}, fetch.Reason(fs.ErrPermission,
			fmt.Sprintf("no token from `az account get-access-token`: %.300q", failure))
	}
	var answer struct {
		Token   string `json:"accessToken"`
		Expires int64  `json:"expires_on"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Token == "" {
		return auth.Token{}, fetch.Reason(fs.ErrPermission,
			"`az account get-access-token` prints no token: log in with `az login`")
	}
	return auth.NewToken(answer.Token, time.Until(time.Unix(answer.Expires, 0))), nil
}
