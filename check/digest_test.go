// Digests, by the calculation of others: git and sha256sum.

package check_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func sha256Of(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// gitBlob returns the name that git has for a file: that of "blob", its size, a zero
// and its bytes.
func gitBlob(b []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(b)), b...))
	return hex.EncodeToString(sum[:])
}

// "hello world" and its line end: 3b18e512..., as printed in many introductions to git.
func TestGitBlob(t *testing.T) {
	const text, want = "hello world\n", "3b18e512dba79e4c8300dd08aeb37f8e728b8dad"
	if got := gitBlob([]byte(text)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git here")
	}
	cmd := exec.Command(git, "hash-object", "--stdin")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.Output(); err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("git says %q, %v", out, err)
	}
}
