// Sets of roles.

package parts

// A Set is a set of roles.
type Set uint64

// SetOf returns the set of some roles.
func SetOf(roles ...Role) (s Set) {
	for _, r := range roles {
		s.Add(r)
	}
	return s
}

// Add adds a role.
func (s *Set) Add(r Role) { *s |= 1 << r }

// Has reports whether the set has a role.
func (s Set) Has(r Role) bool { return s>>r&1 != 0 }

// Holders are the roles that hold values.
const Holders Set = 1<<Extra - 1
