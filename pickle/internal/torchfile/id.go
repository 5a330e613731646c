// One persistent id, for those who build tensors.

package torchfile

import "github.com/weightools/safetensors/pickle"

// StorageOf returns the storage that a persistent id names; ok is false if it names
// none, or if something is wrong with it, which [Storages] reports.
func StorageOf(id pickle.Value) (s Storage, ok bool) {
	if kind, isStr := id.Item(0).Str(); !isStr || kind != "storage" {
		return s, false
	}
	var ignored faults
	return storage(id, &ignored)
}
