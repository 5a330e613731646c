// Package bucket reads objects from S3, from servers with the same interface, and from Google
// Cloud Storage. It is separate from package remote because it needs modules for signing
// requests and for Google's tokens:
//
//	opener := &remote.Opener{Buckets: bucket.Open}
//
// Credentials come from where the programs of AWS and Google Cloud look for them: environment
// variables, files of a login, and the metadata service of a virtual machine. Without
// credentials, requests are anonymous.
package bucket
