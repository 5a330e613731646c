// NumPy's archives: a zip file of arrays.

package torch

func (f *file) arrays(z *zipFile) error {
	return notCheckpoint("it is a zip archive, and has no %s in it", quoted(z.root+"data.pkl"))
}

// npyMagic is what a .npy file begins with.
const npyMagic = "\x93NUMPY"
