// What a repository is, what is judged of it, and what is promised.

// Package check judges a repository of weights as a whole: a folder with its
// sets of weights, the files that say what they are, and what was left beside them.
//
//	sets, err := checkpoint.Discover(ctx, from, path, nil)
//	if err != nil {
//		return err
//	}
//	for report, err := range check.Validate(ctx, from, path, sets, nil) {
//		...
//	}
//
// It stands on what package checkpoint finds: [checkpoint.Checkpoint.Validate] judges
// each file of a set, and the set against its index. What that reports is not
// reported here again. The rules here are those from [RuleNotFetched] on.
//
// # What is judged
//
// Of a folder, all of it. Of an index, its set, and the configuration beside it. Of
// one file only what it proves alone: a file may be one shard of many, so nothing
// is said to be missing from it.
//
// Nothing is said to be missing from a set, either, of which a shard is not there
// or cannot be read: that fault is told already, and explains the rest.
//
// # What is taken for a fault
//
// No specification says what a repository has to hold. So evidence comes from the
// repository itself wherever it can: a weight without scales is at fault if the same
// weight of the other layers has some, a layer if each of the others has a tensor
// that it lacks. What a configuration says is compared with shapes where the name of
// a number leaves no doubt, and only for the architectures that are known to mean
// it. What may be as it was meant is a note, or nothing.
//
// # Cost
//
// Without [Options].Data the headers are read that Validate of package checkpoint
// has read, and is remembered to have; of other files, configurations and the first
// bytes of some. Each tensor is looked at once, so the time is linear in their
// number. With Data every byte of every set is read, once, by two goroutines, as
// package stats counts: the digests of package crypto are made of the same reads.
//
// Configurations come from strangers. They are read up to 32 MiB, scanned without
// recursion, and a value of another kind than is due counts as absent.
package check
