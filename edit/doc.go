// What an edit is, where it is written, and what is promised.

// Package edit changes checkpoints: it renames, drops and casts tensors, sets
// metadata, and mends files whose data are sound and whose headers are not.
//
//	e := &edit.Edit{Set: map[string]string{"license": "mit"}}
//	receipt, err := e.InPlace(ctx, "model.safetensors")
//
// A source is whatever package checkpoint opens as one: a file, a folder of shards,
// an index. [Edit.Write] writes the result elsewhere, under the names of the
// source's files, and [Edit.InPlace] in their place. All patterns go by the names
// that tensors have in the source. [Edit.Apply] alone is for tensors that come from
// elsewhere.
//
// # What stays
//
// An edit changes what it is asked to change. Tensors stay in their files, and in
// the order of their data, unless dropping or casting some would leave others at
// offsets that are no multiples of their elements; then the file gets canonical
// order. A shard of which nothing is left is not written; if shards are numbered, the
// others then get the numbers of a set of fewer. The index is written again only if it
// would say something else.
//
// # Whole or absent
//
// New files are written to a hidden folder, read again there, and compared with
// what they were to hold; then they take their names, as those of a
// shards.Writer do, the index last. An error before that leaves everything as it
// was. [Receipt] tells the digest of each tensor, as it was read.
//
// In place there is a faster way if nothing but metadata changes, and the header
// has room for it: its bytes are overwritten, and no others. That is done only if all
// bytes that change lie in one aligned block of 4 KiB. Such a block is what the
// kernel copies at once, so that no killed process leaves half of it, and what file
// systems and disks with sectors of 4 KiB write at once, so that a power failure does
// not either. (A disk with sectors of 512 bytes may do so if it loses power within
// that one write.) Otherwise the file is written anew, with room for the next time:
// see safetensors.Encoder.Slack.
//
// What is overwritten is the same file. Who has it open, or mapped, sees other
// metadata, and the same tensors. A file that has other names, by hard links, is
// written anew all the same: the others keep what they have, whichever way it is.
// A symbolic link is refused: what it leads to may be in a cache that knows it by
// its digest.
//
// What is replaced in place is what was read. If somebody else has put another file
// under a name meanwhile, or written to one, that stays, and the edit is an error; so of
// two edits of one file at once, each that returns no error is in the file. On systems
// without flock that holds but for a moment at the end.
//
// Of several files that are overwritten, each is whole at any time. If one cannot be
// written, the others get back what they had. But a process that is killed between
// two of them leaves old metadata in some and new in others; the same edit once more
// makes them equal.
//
// # Cost
//
// A tensor is read once to be written, and once to be compared, unless it is not on this
// machine: then its digest is compared, taken as it came. One that is cast is read once
// more to count what was lost. That goes through a few buffers of 1 MiB, whatever its
// size. Headers are held, and what is said of each tensor in a receipt.
package edit
