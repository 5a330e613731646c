// Command tables prints the tables of model/names as JSON, for names.py.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/weightools/safetensors/model/names"
)

// A table is an architecture with its spellings.
type table struct {
	*names.Architecture
	Needs     map[string]string
	Spellings []*names.Spelling
}

func main() {
	var all []table
	for _, a := range names.All() {
		needs := make(map[string]string, len(a.Tensors))
		for _, t := range a.Tensors {
			needs[t.Name] = t.Need.String()
		}
		all = append(all, table{a, needs, a.Spellings()})
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		log.Fatal(err)
	}
}
