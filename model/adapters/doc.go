// Package adapters says what an adapter is by the names and shapes of its tensors: its kind, such as LoRA or OFT,
// whose names it has, the modules that it modifies and their ranks.
//
// An adapter modifies a base model, and its file has tensors for each module that it modifies. Trainers and loaders
// name these in different ways, the [Spelling]. A [Set] gathers the tensors by module:
//
//	var set adapters.Set
//	for i := range h.Tensors {
//		set.Add(&h.Tensors[i], 0)
//	}
//	set.Close()
//	fmt.Println(set.Kind(), set.Spelling(), set.Len())
//
// Package model combines this with the configuration and the metadata; see model.FactsOf.
package adapters
