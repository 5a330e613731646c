// Package check validates a repository of weights: a folder with sets of weights, their configuration files,
// and other files.
//
//	sets, err := checkpoint.Discover(ctx, from, path, nil)
//	if err != nil {
//		return err
//	}
//	for report, err := range check.Validate(ctx, from, path, sets, nil) {
//		...
//	}
//
// It complements package checkpoint: [checkpoint.Checkpoint.Validate] validates each file of a set, and the set
// against its index. Findings of that method are not reported again here. [Rules] lists the rules of this
// package.
//
// # What is checked
//
// In a folder, everything is checked; for an index, its set and the configuration; for a single file, only the
// file itself. A single file may be one of many shards, so nothing is reported as missing from it. Nothing else
// is reported as missing from a set with a missing or unreadable shard either, because that shard explains it.
//
// # What counts as a fault
//
// No specification defines the contents of a repository. So the repository itself provides the evidence where
// possible: a weight without scales is a fault if the same weight of other layers has some, and a layer is
// incomplete if it lacks a tensor that each of the others has. A configuration is compared with shapes only if
// the meaning of a setting is certain, and for architectures that are known to use it that way. Anything that
// may be intended is a note, or is not reported.
//
// # Cost
//
// Without Options.Data, Validate uses the headers that package checkpoint has read, and reads configurations
// and the first bytes of some other files. It looks at each tensor once, so the time is linear in their number.
// With Data, two goroutines read every byte of every set once, and compute digests from the same reads.
//
// Configurations are untrusted. They are read up to 32 MiB and parsed without recursion, and a value of an
// unexpected type counts as missing.
package check
