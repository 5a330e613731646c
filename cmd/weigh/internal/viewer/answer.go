// Answers: JSON, streams of lines with progress, and errors.

package viewer

import (
	"bytes"
	"context"
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

func problemf(status int, format string, args ...any) error {
	return &problem{status, fmt.Sprintf(format, args...)}
}

// wrong returns the error of a parameter.
func wrong(format string, args ...any) error { return problemf(http.StatusBadRequest, format, args...) }

// quoted returns a word from a request for messages.
func quoted(word string) string { return strconv.Quote(typeset.Shortened(word)) }

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

// fail answers with an error.
func fail(w http.ResponseWriter, status int, text string) { failure(w, &problem{status, text}) }

// failure answers with an error.
func failure(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(statusOf(err))
	_ = encode.Object(w, typeset.Style{}, failJSON(err))
}

// An answer is what a handler returns: JSON of the command line, or an object.
type answer func(w io.Writer) error

// object returns the answer that is an object.
func object(members ...encode.Member) answer {
	return func(w io.Writer) error { return encode.Object(w, typeset.Style{}, members) }
}

// A form is a method of a report that writes JSON.
type form func(io.Writer, typeset.Style) error

// as returns the answer in a form.
func as(f form) answer { return func(w io.Writer) error { return f(w, typeset.Style{}) } }

// kept returns an answer that is written once.
func kept(say answer) (answer, error) {
	var text bytes.Buffer
	if err := say(&text); err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		_, err := w.Write(text.Bytes())
		return err
	}, nil
}

// quick returns the handler of an endpoint that answers at once. Nothing is sent if it fails.
func quick(do func(r *request) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		say, err := do(&request{Request: r, w: w})
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

// slow returns the handler of an endpoint that reads values. With the parameter "progress" it streams lines: progress,
// parts as they are known, and at last the result or an error.
func slow(do func(r *request, job *job) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("progress") != "1" {
			quick(func(r *request) (answer, error) { return do(r, new(job)) })(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
		lines := make(chan []byte)
		j := &job{parts: lines}
		go func() {
			defer close(lines)
			lines <- outcome(do, &request{Request: r, w: w}, j)
		}()
		stream(w, j, lines)
	}
}

// outcome returns the last line of a stream.
func outcome(do func(*request, *job) (answer, error), r *request, j *job) []byte {
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
func stream(w http.ResponseWriter, j *job, lines <-chan []byte) {
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

// A request is a request with its parameters.
type request struct {
	*http.Request
	w http.ResponseWriter
}

// ctx returns the context, which ends when the page goes.
func (r *request) ctx() context.Context { return r.Context() }

// has reports whether a parameter is given.
func (r *request) has(name string) bool { return r.FormValue(name) != "" }

// number returns a parameter between two bounds, or the usual value if it is not given.
func (r *request) number(name string, least, most, usual int64) (int64, error) {
	text := r.FormValue(name)
	if text == "" {
		return usual, nil
	}
	return parse(name, text, least, most)
}

// parse parses the number of a parameter.
func parse(name, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, wrong("%s must be a number from %d to %d, not %s", name, least, most, quoted(text))
	}
	return n, nil
}
