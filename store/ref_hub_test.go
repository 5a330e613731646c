// Refs to the Hub, and links to its pages.

package store

import "testing"

func TestParseHub(t *testing.T) {
	hf := func(root, revision, path string) Ref {
		return Ref{Scheme: "hf", Root: root, Revision: revision, Path: path}
	}
	for _, test := range []refTest{
		{"hf://org/repo", hf("org/repo", "", ""), ""},
		{"hf://org/repo/", hf("org/repo", "", ""), "hf://org/repo"},
		{"hf://Org-1/repo_2.0/a/b.safetensors", hf("Org-1/repo_2.0", "", "a/b.safetensors"), ""},
		{"hf://models/org/repo@v1/a", hf("org/repo", "v1", "a"), "hf://org/repo@v1/a"},
		{"hf:///org/repo//", hf("org/repo", "", ""), "hf://org/repo"},
		{"hf://org/repo@v1.0", hf("org/repo", "v1.0", ""), ""},
		{"hf://org/repo@v1/a/b", hf("org/repo", "v1", "a/b"), ""},
		{"hf://org/repo@main", hf("org/repo", "main", ""), ""}, // said, so kept
		{"hf://org/repo@feature%2Fx/a", hf("org/repo", "feature/x", "a"), ""},
		{"hf://org/repo@feature%2fx/a", hf("org/repo", "feature/x", "a"), "hf://org/repo@feature%2Fx/a"},
		{"hf://org/repo@100%25", hf("org/repo", "100%", ""), ""},
		{"hf://org/repo@feature/x", hf("org/repo", "feature", "x"), ""}, // the first slash ends it
		// huggingface_hub writes these without escapes.
		{"hf://org/repo@refs/pr/1", hf("org/repo", "refs/pr/1", ""), "hf://org/repo@refs%2Fpr%2F1"},
		{"hf://org/repo@refs/pr/1/a/b", hf("org/repo", "refs/pr/1", "a/b"), "hf://org/repo@refs%2Fpr%2F1/a/b"},
		{"hf://org/repo@refs%2Fheads%2Fa%2Fb/c", hf("org/repo", "refs/heads/a/b", "c"), ""},
		{"hf://datasets/org/repo@v1/a", hf("datasets/org/repo", "v1", "a"), ""},
		{"hf://spaces/org/repo", hf("spaces/org/repo", "", ""), ""},
		{"hf://kernels/org/repo/a", hf("kernels/org/repo", "", "a"), ""},
		{"hf://buckets/org/name/a", hf("buckets/org/name", "", "a"), ""},
		// Paths are taken as they are, an "@" in them too.
		{"hf://org/repo/a@b%20c?d#e", hf("org/repo", "", "a@b%20c?d#e"), ""},
	} {
		test.check(t)
	}
}

func TestParseHubLink(t *testing.T) {
	hf := func(root, revision, path string) Ref {
		return Ref{Scheme: "hf", Root: root, Revision: revision, Path: path}
	}
	for _, test := range []refTest{
		{"https://huggingface.co/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://hf.co/org/repo/", hf("org/repo", "", ""), "hf://org/repo"},
		{"HTTP://WWW.HuggingFace.co/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://huggingface.co:443/org//repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://huggingface.co/models/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://huggingface.co/org/repo@v1", hf("org/repo", "v1", ""), "hf://org/repo@v1"},
		{"https://huggingface.co/org/repo/tree", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://huggingface.co/org/repo/blame/main/a", hf("org/repo", "main", "a"), "hf://org/repo@main/a"},
		{"https://huggingface.co/buckets/org/name/tree/a", hf("buckets/org/name", "", "a"), "hf://buckets/org/name/a"},
		{"https://huggingface.co/buckets/org/name/resolve/a/b", hf("buckets/org/name", "", "a/b"), "hf://buckets/org/name/a/b"},
		{"huggingface.co/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"HF.co/org/repo/blob/v1/a?download=true", hf("org/repo", "v1", "a"), "hf://org/repo@v1/a"},
		{"https://huggingface.co/org/repo/tree/main", hf("org/repo", "main", ""), "hf://org/repo@main"},
		{"https://huggingface.co/org/repo/tree/main/a/b/", hf("org/repo", "main", "a/b"), "hf://org/repo@main/a/b"},
		{"https://huggingface.co/org/repo/blob/v1/a.safetensors", hf("org/repo", "v1", "a.safetensors"), "hf://org/repo@v1/a.safetensors"},
		{"https://huggingface.co/org/repo/resolve/v1/a.safetensors?download=true", hf("org/repo", "v1", "a.safetensors"), "hf://org/repo@v1/a.safetensors"},
		{"https://huggingface.co/org/repo/raw/v1/config.json#L3", hf("org/repo", "v1", "config.json"), "hf://org/repo@v1/config.json"},
		{"https://huggingface.co/org/repo/tree/refs%2Fpr%2F1", hf("org/repo", "refs/pr/1", ""), "hf://org/repo@refs%2Fpr%2F1"},
		{"https://huggingface.co/org/repo/blob/refs%2Fpr%2F1/a/b", hf("org/repo", "refs/pr/1", "a/b"), "hf://org/repo@refs%2Fpr%2F1/a/b"},
		{"https://huggingface.co/org/repo/blob/refs/pr/1/a/b", hf("org/repo", "refs/pr/1", "a/b"), "hf://org/repo@refs%2Fpr%2F1/a/b"},
		{"https://huggingface.co/org/repo/blob/main/a%20b%2520c", hf("org/repo", "main", "a b%20c"), "hf://org/repo@main/a b%20c"},
		{"https://huggingface.co/datasets/org/repo/blob/main/a", hf("datasets/org/repo", "main", "a"), "hf://datasets/org/repo@main/a"},
		{"https://huggingface.co/spaces/org/repo", hf("spaces/org/repo", "", ""), "hf://spaces/org/repo"},
		// As for git clone. The token is not kept.
		{"https://user:hf_token@huggingface.co/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
	} {
		test.check(t)
	}
}

// TestParseEndpointLink: the environment variable HF_ENDPOINT names another server of the Hub,
// which may also have other pages.
func TestParseEndpointLink(t *testing.T) {
	hf := func(root, revision, path string) Ref {
		return Ref{Scheme: "hf", Root: root, Revision: revision, Path: path}
	}
	web := func(root, path string) Ref { return Ref{Scheme: "https", Root: root, Path: path} }
	t.Setenv("HF_ENDPOINT", "https://Hub.example:8443/mirror/")
	for _, test := range []refTest{
		{"https://hub.example:8443/mirror/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://hub.example:8443/mirror/datasets/org/repo/blob/v1/a/b", hf("datasets/org/repo", "v1", "a/b"), "hf://datasets/org/repo@v1/a/b"},
		{"https://huggingface.co/org/repo", hf("org/repo", "", ""), "hf://org/repo"},
		{"https://hub.example:8443/org/repo/blob/v1/a", web("https://hub.example:8443/org/repo/blob/v1", "a"), ""},
		{"https://hub.example:8443/mirrored/org/repo/a", web("https://hub.example:8443/mirrored/org/repo", "a"), ""},
		{"https://hub.example:8443/mirror/org/repo/a", web("https://hub.example:8443/mirror/org/repo", "a"), ""},
		{"https://hub.example:8443/mirror/api/models/a", web("https://hub.example:8443/mirror/api/models", "a"), ""},
		{"https://hub.example/mirror/org/repo", web("https://hub.example/mirror/org", "repo"), ""},
	} {
		test.check(t)
	}
	t.Setenv("HF_ENDPOINT", "http://hub.example")
	refTest{"hub.example/org/repo/tree/v1", hf("org/repo", "v1", ""), "hf://org/repo@v1"}.check(t)
	refTest{"http://hub.example:80/org/repo", hf("org/repo", "", ""), "hf://org/repo"}.check(t)
}
