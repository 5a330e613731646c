// Companions: the tensors that are needed to unpack a packed weight.

package packing

import (
	"cmp"
	"math/bits"

	"github.com/weightools/safetensors/internal/parts"
)

// A Need says that a weight has one of some companions.
type Need struct {
	Weight parts.Role

	kind   parts.Kinds // of the weight
	with   parts.Set   // the need is for weights that have all of these
	unless parts.Set   // and none of these
	one    parts.Set   // at least one of these must be there
	name   parts.Role  // the one that is reported as missing; the first of one by default

	// Whether a companion should be there is decided by other weights: by all of the same kind, or if Peers is
	// set, by the weights in the same place of other layers. Some programs leave a few weights unpacked, but not
	// in a single layer. If Always is set, compressed-tensors in the configuration is enough.
	Always, Peers bool
}

const weight = parts.Weight // shortens the table

// Needs are the needs of all kinds of packed weights.
var Needs = []Need{
	{Weight: parts.QWeight, one: parts.SetOf(parts.Scales)},
	{Weight: parts.QWeight, one: parts.SetOf(parts.Zeros)},
	{Weight: parts.QWeight, one: parts.SetOf(parts.GroupIndex), Peers: true},
	{Weight: parts.Packed, kind: ^parts.U8, one: parts.SetOf(parts.Scale, parts.ScaleInv), name: parts.Scale, Always: true},
	{Weight: parts.Packed, kind: ^parts.U8, one: parts.SetOf(parts.ShapeOf)},
	{Weight: parts.Packed, kind: parts.U8, one: parts.SetOf(parts.Scale), Always: true},
	{Weight: parts.Packed, kind: parts.U8, one: parts.SetOf(parts.GlobalScale), Peers: true},
	{Weight: parts.Blocks, kind: parts.U8, one: parts.SetOf(parts.Scales)},
	{Weight: weight, kind: parts.Float8, one: parts.SetOf(parts.Scale, parts.ScaleInv), name: parts.ScaleInv, Peers: true},
	{Weight: weight, kind: parts.I8, one: parts.SetOf(parts.Scale), Peers: true},
	{Weight: weight, kind: parts.U8, unless: parts.SetOf(parts.Absmax), one: parts.SetOf(parts.Scale), Peers: true},
	{Weight: weight, kind: parts.U8, with: parts.SetOf(parts.Scale), one: parts.SetOf(parts.Scale2), Peers: true},
	{Weight: weight, kind: parts.U8, unless: parts.SetOf(parts.Scale), one: parts.SetOf(parts.Absmax), Peers: true},
	{Weight: weight, kind: parts.U8, with: parts.SetOf(parts.Absmax), one: parts.SetOf(parts.QuantMap), Peers: true},
	{Weight: weight, kind: parts.U8, with: parts.SetOf(parts.Absmax), one: parts.SetOf(parts.QuantState), Peers: true},
	{Weight: weight, kind: parts.U8, with: parts.SetOf(parts.NestedAbsmax), one: parts.SetOf(parts.NestedMap), Peers: true},
	{Weight: weight, kind: parts.Int32, one: parts.SetOf(parts.Scales)},
}

// Missing returns the companion that is reported.
func (n *Need) Missing() parts.Role {
	return cmp.Or(n.name, parts.Role(bits.TrailingZeros64(uint64(n.one))))
}

// IsFor reports whether a module has a weight of the need.
func (n *Need) IsFor(m *Module) bool {
	return m.Have.Has(n.Weight) && (n.kind == 0 || m.Kind&n.kind != 0) && m.Have&n.with == n.with && m.Have&n.unless == 0
}

// IsMet reports whether a module has one of the companions.
func (n *Need) IsMet(m *Module) bool { return m.Have&n.one != 0 }
