// Documents: answers that are read completely, such as listings.

package fetch

import (
	"context"
	"net/http"
)

// maxDocument is the maximum size of a document, in bytes.
const maxDocument = 64 << 20

// Document fetches the whole answer of a source that is not an object, such as a listing. Learn gets no Facts.
func (s *Shared) Document(ctx context.Context, source *Source) (text []byte, header http.Header, err error) {
	c := s.client
	err = c.persist(ctx, func() (int64, error) {
		a, err := c.do(ctx, source.call(make(http.Header), 0))
		if err != nil {
			return 0, err
		}
		defer a.body.Close()
		if a.Status != http.StatusOK {
			return 0, source.refused(a)
		}
		if err := a.uncoded(); err != nil {
			return 0, err
		}
		if source.Learn != nil {
			if err := source.Learn(a, nil); err != nil {
				return 0, err
			}
		}
		text, err = readGrowing(a.body, maxDocument+1)
		header = a.Header
		if len(text) > maxDocument {
			err = a.Errorf("the answer has more than %d bytes", maxDocument)
		}
		return 0, err
	})
	return text, header, err
}
