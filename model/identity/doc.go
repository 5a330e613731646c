// Package identity tells what the tensors of a model are: a checkpoint, a diffusion model, a VAE, a text encoder, a
// ControlNet, an adapter, an optimizer's state and more, of which family and version.
//
//	id := identity.Of(m, nil)
//	fmt.Println(id.Status, id.Kind, id.Family, id.Version())
//
// Of compares the names and shapes of tensors, the metadata and config.json with signatures, which are data: see
// docs/signatures.md for the format. Parse reads signatures of a user.
//
// # Answers
//
// An Identity is Known, Ambiguous or Unknown, and never a guess. Its Evidence lists the tensors, the metadata and the
// members of configurations that decided. If names and shapes fit several versions or families, all of them are
// listed, with the reason. If they fit none, Notes say what was seen.
//
// Names may have any prefix, such as "model.diffusion_model." or "_orig_mod.": a signature matches at the prefix that
// its first name has, and everything below this prefix is one Part of the model.
//
// # Untrusted input
//
// Names, shapes, metadata and configurations are untrusted. The work is linear in the number of tensors, for the given
// signatures, and a model has at most MaxParts parts.
package identity

//go:generate go test -run ^TestSignaturesDoc$ -update .
