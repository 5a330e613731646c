// Storages from single persistent IDs.

package torchfile

import "github.com/weightools/safetensors/pickle"

// StorageOf returns the storage that a persistent ID names; ok is false if it names none or is invalid. Storages
// reports what is invalid.
func StorageOf(id pickle.Value) (s Storage, ok bool) {
	if kind, isStr := id.Item(0).Str(); !isStr || kind != "storage" {
		return s, false
	}
	var ignored faults
	return storage(id, &ignored)
}
