// Package remap renames and rearranges tensors by maps: lists of rules with patterns of names and steps.
//
//	model.embed_tokens.weight => tok_embeddings.weight
//	model.layers.{n}.self_attn.q_proj.weight => layers.{n}.attention.wq.weight : interleave(heads)
//	gate.weight + up.weight => gate_up.weight : fuse
//	experts.{x}.up.weight => experts.up.weight : stack
//	rotary_emb.inv_freq => -
//	heads = 32
//
// A placeholder, a letter in braces, is a number, and {*} is any text. The same placeholder is the same number on both
// sides. Each rule says how names become others, and which steps, one after the other, make the tensors; "-" drops a
// tensor. A line "name = number" defines a parameter of steps; others are members of config.json. A [Map] can be
// applied both ways: see [Map.Reverse].
//
// # Steps
//
//	transpose            exchange the last two axes
//	axes(0,2,3,1)        put the axes in this order, as numpy.transpose does
//	interleave(heads)    rows of attention heads from halves to pairs, for other rotary embeddings: [arrange.Pairs]
//	deinterleave(heads)  the inverse
//	fuse                 join tensors along axis 0; fuse(1) along another; fuse(0,2,1) if their sizes are in these
//	                     proportions, without which they cannot be split again unless they are equal
//	split(0,2,1)         the inverse
//	groups(8,4,1,1)      join tensors along axis 0 in 8 groups, in which their sizes are in these proportions
//	ungroups(8,4,1,1)    the inverse
//	stack                one tensor of all numbers that a placeholder has in the names, with a new first axis
//	unstack              the inverse
//	unflatten(0,8)       split axis 0 into two, the first of size 8
//	flatten(0,8)         the inverse
//	squeeze(-1)          remove axes of size 1
//	unsqueeze(-1)        the inverse
//	swap                 exchange the two halves of axis 0
//	reshape(8,-1)        the same elements in another shape; this step has no inverse
//
// Arguments are numbers or parameters: members of config.json that are whole numbers, and heads, kv_heads, head_dim,
// experts, layers and hidden, whose members have different names. As proportions, q is the same as heads, and k and v as
// kv_heads: fuse(q,k,v). "@2" after a step applies it to the second of several tensors only: interleave(kv_heads)@2. The steps for heads also take an argument for
// each of several tensors, where - leaves one as it is: interleave(heads,kv_heads,-). concat and transpose(0,2,1) are
// other names of fuse and axes.
package remap
