// Package edit changes checkpoints: it renames, drops and casts tensors, sets metadata,
// and repairs headers of files whose data is intact.
//
//	e := &edit.Edit{Set: map[string]string{"license": "mit"}}
//	receipt, err := e.InPlace(ctx, "model.safetensors")
//
// A source is a checkpoint as package checkpoint opens it: a file, a folder of shards, or
// an index. [Edit.Write] writes the result to another place, under the names of the
// source's files, and [Edit.InPlace] replaces them. [Edit.Plan] and [Edit.PlanInPlace]
// return a [Plan] first, whose receipt is a dry run. All patterns match the names that
// tensors have in the source. [Edit.Apply] edits a list of tensors without files.
//
// # What stays the same
//
// An edit changes only what it is asked to change. Tensors stay in their files, and in the
// order of their data, unless dropping or casting some would leave others at offsets that
// are not multiples of their element size; then the file is written in canonical order. A
// shard that has no tensors left is not written, and the other shards are renumbered. The
// index is written again only if it changes.
//
// # All or nothing
//
// New files are written to a hidden folder, read again, and compared with their source;
// then they are renamed into place, the index last. On an error before that, nothing
// changes. The [Receipt] has the digest of each tensor.
//
// Editing in place is faster if only metadata changes and the new metadata fits the header:
// then only the bytes that differ are overwritten. Package edit does that only if all of
// them are in one aligned block of 4 KiB. The kernel copies such a block at once, so a
// killed process never leaves half of it, and neither does a power failure on file systems
// and disks with sectors of 4 KiB. (A disk with sectors of 512 bytes may leave half of it,
// if power fails during that one write.) Otherwise the file is written again, with room for
// later changes: see safetensors.Encoder.Slack.
//
// Overwriting keeps the file: processes that have it open, or mapped, see the new metadata
// and the same tensors. A file with several hard links is always written again, and the
// other links keep the old file. A symbolic link is refused, because it may lead to a cache
// that identifies the file by its digest.
//
// An edit in place replaces only the files that it has read. If another process replaces or
// changes one in the meantime, the edit fails and that process's file stays; so if two
// processes edit one file at the same time, the file contains every edit that returned no
// error. On systems without flock a short interval at the end remains unprotected.
//
// If several files are overwritten and one fails, the others are restored. A process that
// is killed between two of them, or while new files are renamed into place, leaves a journal.
// While there is one, edits of the folder fail with a *[shards.UnfinishedError], and
// [shards.Recover] finishes the edit.
//
// # Cost
//
// Each tensor is read once to be written and once to be compared. A remote tensor is read
// once, and compared by its digest. A tensor that is cast is read once more to count what
// the cast lost. Memory does not grow with the size of tensors: edit uses a few buffers of
// 1 MiB, the headers, and a receipt entry for each tensor.
package edit
