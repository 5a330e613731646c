// Package adapter gives adapters, such as LoRA, the names that another program expects.
//
// Programs name the modules that an adapter modifies in different ways, and keep alpha, which scales the adapter, in
// different places: as a tensor of each module, in adapter_config.json, or in the metadata. [Convert] returns what does
// both for an [edit.Edit]:
//
//	arrange, err := adapter.Convert(adapters.Kohya)
//	...
//	e := &edit.Edit{Arrange: arrange}
//
// The modules of diffusion models have one name in diffusers and another in the original code, which may also join
// several modules in one. The maps of package respell and data/modules.txt say which. The matrices of a joined module
// are made of those of its parts without computing any value, so that both ways lose nothing.
//
// What cannot be converted without a guess is refused: names whose dots were replaced by underscores if no table has
// the module, or if two have it, and kinds of adapters that the other program does not know.
package adapter
