// What is in this package, and what it promises.

// Package remote implements stores that are read over HTTP, a range at a time: web
// servers, the Hugging Face Hub, S3 and what speaks its language, and Google Cloud
// Storage.
//
//	opener := &remote.Opener{}
//	cp, err := checkpoint.Open(ctx, "hf://org/repo", &checkpoint.Options{Resolve: opener.Open})
//
// # What a look costs
//
// Opening an object is one request, for its first 64 KiB or for as many bytes as the
// caller expects to need; see [store.OpenHead]. The answer says how large the object is,
// so nothing else is asked first. What is read later comes in blocks of 64 KiB, or
// longer runs where more is read, and is kept in memory as far as [Opener].CacheSize
// allows. A HEAD request is never made: signed URLs refuse it.
//
// # What is promised
//
// A read gives the bytes of the object as it was when it was opened, or an error.
// Later requests carry its ETag, and an answer with another ETag, date or size ends the
// read with [ErrChanged]: bytes of two versions are never mixed. A body that breaks off is
// asked for again from the byte at which it did.
//
// A server that knows no ranges answers with the whole object. Of that, no more is read
// than is needed. What lies past the first bytes has to be skipped to; that is done
// in order for a reader that goes from front to back, and otherwise up to 64 MiB, past
// which the error says why.
//
// Requests that may succeed later are made again, after a pause that grows and is never
// the same twice, or for as long as the server says.
//
// # The Hub and Xet
//
// Files that the Hub keeps in Xet are read by plain requests, as all others are: its
// answer redirects to a bridge, which makes the bytes of any range out of chunks. X-Linked-Size
// and X-Linked-Etag, which is the SHA-256, are those of the file; X-Xet-Hash and the links
// to tokens and chunks are of no use without the protocol, and nothing is asked of them. So
// HF_HUB_DISABLE_XET changes nothing, and a mirror that has no Xet will do. What the
// bridge refuses because a file is too large for it, more than 50 GB, is an error that says so.
//
// # Secrets
//
// Tokens, passwords and signatures go to the host that they are for, by its scheme, name
// and port, and to none that it redirects to. No redirect from https to http is followed.
// Errors have URLs without their query and user name.
package remote
