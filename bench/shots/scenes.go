// The pages that are pictured, with what is done on each before the picture is taken.

package main

import (
	"context"
	"time"

	"github.com/chromedp/chromedp"
)

// A group is scenes of the same targets.
type group struct {
	make   func(work string) ([]string, error)
	start  func(ctx context.Context, program string, targets []string) (string, error) // the address of the first page
	scenes []scene
}

type scene struct {
	name string
	path string // with the query
	wait string // what must be visible first
	do   []chromedp.Action[chromedp.Void]
	slow bool // needs longer until it is complete
	// The page requests something that does not exist, which Chromium reports on the console.
	failing bool
}

func (s scene) rest() time.Duration {
	if s.slow {
		return 2500 * time.Millisecond
	}
	return 900 * time.Millisecond
}

const q = "model.layers.17.self_attn.q_proj.weight"

var groups = []group{
	{makeModel, serve, []scene{
		{name: "overview", path: "/", wait: ".treemap .box", slow: true},
		{name: "overview-layer", path: "/?at=model.layers.3", wait: ".treemap .box"},
		{name: "tensors", path: "/tensors?sort=bytes", wait: ".grid-body .row"},
		{name: "tensors-filtered", path: "/tensors?include=**.mlp.**&fold=1", wait: ".grid-body .row"},
		{name: "tensors-none", path: "/tensors?include=nothing", wait: ".over .empty"},
		{name: "tree", path: "/tensors?view=tree&fold=1", wait: ".grid-body .row"},
		{name: "tensor", path: "/tensor?name=" + q, wait: ".places", slow: true},
		{name: "tensor-numbers", path: "/tensor?name=" + q + "&cell=100,57", wait: ".places", slow: true},
		{name: "tensor-vector", path: "/tensor?name=model.norm.weight", wait: ".places", slow: true},
		{name: "tensor-axes", path: "/tensor?name=vision.conv.weight&at=0,2,0,0", wait: ".places", slow: true},
		{name: "tensor-absent", path: "/tensor?name=absent", wait: ".failure", failing: true},
		{name: "layers", path: "/layers", wait: ".series", slow: true},
		{name: "bytes", path: "/bytes?at=0", wait: ".dump"},
		{name: "help", path: "/layers", wait: ".card",
			do: []chromedp.Action[chromedp.Void]{chromedp.Click(chromedp.CSS(".help-button"))}},
		{name: "nowhere", path: "/nowhere", wait: ".empty"},
	}},
	{makePair, serve, []scene{
		{name: "compare", path: "/compare", wait: ".grid-body .row", slow: true},
		{name: "compare-layers", path: "/compare?view=layers", wait: ".grid-body .row", slow: true},
		{name: "compare-tensor", path: "/compare?name=" + q, wait: ".facts", slow: true},
	}},
	{makeHostile, serve, []scene{
		{name: "hostile", path: "/", wait: ".treemap .box", slow: true},
		{name: "hostile-tensors", path: "/tensors", wait: ".grid-body .row"},
		{name: "hostile-tensor", path: "/tensor?id=1", wait: ".numbers", slow: true},
	}},
	{makeBroken, serve, []scene{
		{name: "broken", path: "/", wait: ".finding-list", slow: true},
		{name: "broken-bytes", path: "/bytes", wait: ".grid-body .row"},
	}},
	{makeEmpty, serve, []scene{
		{name: "empty", path: "/", wait: ".panel"},
		{name: "empty-tensors", path: "/tensors", wait: ".over .empty"},
		{name: "empty-layers", path: "/layers", wait: ".empty"},
	}},
	{makeMany, serve, []scene{
		{name: "many", path: "/", wait: ".treemap .box", slow: true},
		{name: "many-tensors", path: "/tensors?sort=name", wait: ".grid-body .row"},
		{name: "many-tree", path: "/tensors?view=tree&fold=1", wait: ".grid-body .row"},
	}},
	{makeModel, export, []scene{
		{name: "export", path: "/", wait: ".treemap .box", slow: true},
		{name: "export-tensors", path: "/tensors", wait: ".grid-body .row"},
		{name: "export-tensor", path: "/tensor?id=0", wait: ".numbers"},
		{name: "export-layers", path: "/layers", wait: ".card"},
		{name: "export-bytes", path: "/bytes", wait: ".empty"},
	}},
}
