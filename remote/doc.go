// Package remote implements stores that are read over HTTP, one range of bytes at a time: web
// servers, the Hugging Face Hub, Azure Blob Storage, ModelScope and OCI registries, and with
// package remote/bucket also S3 and Google Cloud Storage.
//
//	opener := &remote.Opener{Buckets: bucket.Open}
//	cp, err := checkpoint.Open(ctx, "hf://org/repo", &checkpoint.Options{Resolve: opener.Open})
//
// Package remote itself needs nothing but the standard library; package bucket needs modules
// for signing requests.
//
// # Requests
//
// Opening an object takes one request. It fetches the first 64 KiB, or as many bytes as the
// caller expects to need (see [store.OpenHead]), and the answer contains the object's size.
// It is a GET request, because signed URLs refuse HEAD requests. Later reads fetch blocks of
// 64 KiB, or longer runs for longer reads. Blocks are cached in memory, up to
// [Opener].CacheSize.
//
// Requests that may succeed later are repeated after a random, growing pause, or after the
// time that the server asks for. A transfer that breaks off continues at the byte where it
// broke.
//
// # Consistency
//
// A read returns the bytes of the object as it was when it was opened, or an error. What the
// server said of the object's version when it was opened has to come again with every later
// answer: the size, the ETag and the date. If one of them differs, is missing or is new, or if
// a web page comes instead, the read fails with [ErrChanged], so the bytes of two versions are
// never mixed. If the server sends neither ETag nor date, changes cannot be noticed, and
// [Opener].Notice says so once.
//
// # Time
//
// A request fails if the server sends nothing for [Opener].Silence, or less than 100 bytes per
// second over that time, or parts that are much smaller than requested. Such requests are
// repeated like others; a transfer that makes progress is never given up.
//
// # Servers without ranges
//
// A server that does not support range requests answers with the whole object. Of that answer
// only the needed bytes are read. To reach later bytes, the ones before them are read and
// discarded, up to 64 MiB; beyond that, reading fails. If a [Download] breaks off, it starts again
// from the first byte, and compares what it has already.
//
// # The Hub and Xet
//
// Files that the Hub stores in Xet are read with plain requests, like all others. The Hub
// redirects to a server that assembles any range from chunks. The size and the SHA-256 of the
// file come from the headers X-Linked-Size and X-Linked-Etag. The variable HF_HUB_DISABLE_XET
// therefore has no effect, and mirrors without Xet work. Files above 50 GB cannot be read this
// way, and the error says so.
//
// # Secrets
//
// Tokens, passwords and signatures are sent only to the origin (scheme, host and port) they
// belong to, and never to the target of a redirect. Redirects from https to http are not
// followed, and neither are those from a public address to a private one (see
// [Opener].Private). Errors contain URLs without query and user name.
package remote
