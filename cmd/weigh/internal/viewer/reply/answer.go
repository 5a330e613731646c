// Package reply has what the endpoints of the viewer share: requests with their parameters, progress, and answers as
// JSON, as streams of lines and as errors.
package reply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A problem is an error with the status of its answer.
type problem struct {
	status int
	text   string
}

// Error returns the message.
func (p *problem) Error() string { return p.text }

// Problemf returns an error whose answer has a status.
func Problemf(status int, format string, args ...any) error {
	return &problem{status, fmt.Sprintf(format, args...)}
}

// Wrong returns the error of a parameter.
func Wrong(format string, args ...any) error { return Problemf(http.StatusBadRequest, format, args...) }

// Quoted returns a word from a request for messages.
func Quoted(word string) string { return strconv.Quote(typeset.Shortened(word)) }

// statusOf returns the status for an error.
func statusOf(err error) int {
	var p *problem
	var v *safetensors.Violation
	var usage cli.UsageError
	switch {
	case errors.As(err, &p):
		return p.status
	case errors.As(err, &v):
		return http.StatusUnprocessableEntity
	case errors.As(err, &usage):
		return http.StatusBadRequest
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound
	}
	return http.StatusBadGateway
}

// failJSON returns the object of an error.
func failJSON(err error) []encode.Member {
	return []encode.Member{encode.M("error", typeset.Line(cli.Describe(err)))}
}

// Fail answers with an error.
func Fail(w http.ResponseWriter, status int, text string) { failure(w, &problem{status, text}) }

// failure answers with an error.
func failure(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(statusOf(err))
	_ = encode.Object(w, typeset.Style{}, failJSON(err))
}

// An Answer is what a handler returns: JSON of the command line, or an object.
type Answer func(w io.Writer) error

// Object returns the answer that is an object.
func Object(members ...encode.Member) Answer {
	return func(w io.Writer) error { return encode.Object(w, typeset.Style{}, members) }
}

// A Form is a method of a report that writes JSON.
type Form func(io.Writer, typeset.Style) error

// As returns the answer in a form.
func As(f Form) Answer { return func(w io.Writer) error { return f(w, typeset.Style{}) } }

// Kept returns an answer that is written once.
func Kept(say Answer) (Answer, error) {
	var text bytes.Buffer
	if err := say(&text); err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}, nil
}

// Quick returns the handler of an endpoint that answers at once. Nothing is sent if it fails.
func Quick(do func(r *Request) (Answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		say, err := do(&Request{Request: r, W: w})
		var text bytes.Buffer
		if err == nil && say != nil {
			err = say(&text)
		}
		if err != nil {
			failure(w, err)
			return
		}
		if say != nil {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = w.Write(text.Bytes())
		}
	}
}

// every is the time between two lines of progress.
const every = 200 * time.Millisecond

// Slow returns the handler of an endpoint that reads values. With the parameter "progress" it streams lines: progress,
// partial results, and finally the result or an error.
func Slow(do func(r *Request, job *Job) (Answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("progress") != "1" {
			Quick(func(r *Request) (Answer, error) { return do(r, new(Job)) })(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
		lines := make(chan []byte)
		j := &Job{parts: lines}
		go func() {
			defer close(lines)
			lines <- outcome(do, &Request{Request: r, W: w}, j)
		}()
		stream(w, j, lines)
	}
}

// outcome returns the last line of a stream.
func outcome(do func(*Request, *Job) (Answer, error), r *Request, j *Job) []byte {
	say, err := do(r, j)
	var text bytes.Buffer
	if err == nil {
		err = say(&text)
	}
	if err != nil {
		text.Reset()
		_ = encode.Object(&text, typeset.Style{}, failJSON(err))
		return text.Bytes()
	}
	return fmt.Appendf(nil, `{"result":%s}`+"\n", bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// stream writes lines until there are no more, and progress between them. After the page has gone it still takes the
// lines, since the job ends only when it notices.
func stream(w http.ResponseWriter, j *Job, lines <-chan []byte) {
	flush := http.NewResponseController(w)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case line, more := <-lines:
			if !more {
				return
			}
			_, _ = w.Write(line)
		case <-ticker.C:
			fmt.Fprintf(w, `{"progress":{"done":%d,"total":%d,"unit":"bytes"}}`+"\n", j.done.Load(), j.total.Load())
		}
		_ = flush.Flush()
	}
}

// marshal returns a value as a line of a stream.
func marshal(member string, v any) []byte {
	text, err := encode.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(err.Error())
	}
	return fmt.Appendf(nil, `{%q:%s}`+"\n", member, text)
}
