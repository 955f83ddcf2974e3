package web

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// command answers POST /command: the commands of the body are run in their order,
// on a link of their own. The answer is {"result":…}, as resp.AppendJSON has it,
// or {"error":"CODE text"}; to several commands it is a list of these, of which
// nothing is kept but the one at work.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	o, status, err := s.readRequest(w, r)
	if err != nil {
		fail(w, status, err.Error())
		return
	}
	v, err := s.visitor(r)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	v.Database = *o.db
	l, refusal := s.dial(r.Context(), r, v)
	if l == nil {
		refuse(w, r, refusal)
		return
	}
	defer l.close()
	sent := make(chan struct{})
	defer func() {
		l.close()
		<-sent
	}()
	if o.atomic {
		if refusal := l.begin(); refusal != "" {
			close(sent)
			refuse(w, r, refusal)
			return
		}
	}
	o.add(l)
	go func() { // the session may want to be read from before it has read all
		defer close(sent)
		l.Flush() // if it fails, so does reading
	}()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case o.atomic:
		answerTransaction(w, r, l, &o)
	case o.single:
		answerOne(w, r, l)
	default:
		answerAll(w, l, len(o.commands))
	}
}

// readRequest reads what a request asks for. An error has a status.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request) (o order, status int, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return o, http.StatusBadRequest, errors.New("ERR the parameters can't be read")
	}
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyPatience)) // without it, it takes its time
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.bodyMax.Load()))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return o, http.StatusRequestEntityTooLarge, errors.New("ERR the body is longer than http-max-body")
	}
	if err != nil {
		return o, http.StatusBadRequest, errors.New("ERR the body did not come as it was announced")
	}
	http.NewResponseController(w).SetReadDeadline(time.Time{})
	if o, err = readOrder(body); err == nil {
		err = s.complete(&o, values)
	}
	return o, http.StatusBadRequest, err
}

// complete adds what the parameters say to an order, and checks it.
func (s *Server) complete(o *order, values url.Values) error {
	for name := range values {
		if name != "db" && name != "atomic" {
			return errors.New("ERR there is no parameter " + name)
		}
	}
	atomic, err := flag(values, "atomic")
	if err != nil {
		return err
	}
	o.atomic = o.atomic || atomic
	if o.db == nil {
		db, err := s.database(values)
		if err != nil {
			return err
		}
		o.db = &db
	}
	if *o.db < 0 || *o.db >= s.system.Server.Databases {
		return errors.New(resp.ErrDBIndex.Str())
	}
	for _, argv := range o.commands {
		if why := refusal(s.system.Server.Catalogue.Lookup(argv), instead); why != "" {
			return errors.New(why)
		}
	}
	return nil
}

// flag reads a parameter that is given or not.
func flag(values url.Values, name string) (bool, error) {
	if !values.Has(name) {
		return false, nil
	}
	switch strings.ToLower(values.Get(name)) {
	case "", "1", "yes", "true":
		return true, nil
	case "0", "no", "false":
		return false, nil
	}
	return false, errors.New("ERR " + name + " is yes or no")
}

// instead are the commands that change what a link does from then on, and what
// there is instead of them in a request.
var instead = map[string]string{
	"SELECT": "the parameter db", "MULTI": "several commands with atomic=1", "EXEC": "several commands with atomic=1",
	"DISCARD": "several commands with atomic=1", "WATCH": "a WebSocket at /watch", "UNWATCH": "a WebSocket at /watch",
	"OBSERVE": "GET /watch", "UNOBSERVE": "GET /watch",
	"SUBSCRIBE": "", "PSUBSCRIBE": "", "SSUBSCRIBE": "", "UNSUBSCRIBE": "", "PUNSUBSCRIBE": "", "SUNSUBSCRIBE": "", "MONITOR": "",
	"AUTH": "the header Authorization", "HELLO": "the header Authorization", "RESET": "", "QUIT": "",
	"CLIENT|REPLY": "", "CLIENT|TRACKING": "", "CLIENT|CACHING": "", "CLIENT|SETNAME": "", "CLIENT|SETINFO": "",
	"CLIENT|NO-EVICT": "", "CLIENT|NO-TOUCH": "",
}

// refusal is why a command can't be run, if it is about the link.
func refusal(row *session.Command, instead map[string]string) string {
	if row == nil {
		return ""
	}
	name := row.Name
	if row.Watches != nil {
		name = "OBSERVE"
	}
	other, about := instead[name]
	switch {
	case !about:
		return ""
	case other == "":
		return "ERR " + strings.ReplaceAll(row.Name, "|", " ") + " is about a link, which this is not"
	}
	return "ERR " + strings.ReplaceAll(row.Name, "|", " ") + " is about a link, which this is not; use " + other
}

// add adds the order's commands to what is sent.
func (o *order) add(l *link) {
	for _, argv := range o.commands {
		l.Add(argv...)
	}
	if o.atomic {
		l.Add([]byte("EXEC"))
	}
}

// begin begins a transaction. What is to be in it must not be sent before that is
// certain, as it would be run outside of it. A refusal says why not.
func (l *link) begin() (refusal string) {
	l.Add([]byte("MULTI"))
	if l.Flush() != nil {
		return errGone
	}
	switch reply, err := l.next(); {
	case err != nil:
		return errGone
	case reply.IsError():
		return reply.Str()
	}
	return ""
}

// answerOne answers with one reply.
func answerOne(w http.ResponseWriter, r *http.Request, l *link) {
	reply, err := l.next()
	switch {
	case err != nil:
		refuse(w, r, errGone)
	case reply.IsError():
		refuse(w, r, reply.Str())
	default:
		w.Write(append(appendAnswer(nil, reply), '\n')) // that it fails is the client's business
	}
}

// next is the reply that comes next.
func (l *link) next() (resp.Reply, error) {
	for {
		reply, err := l.Read()
		if err != nil || reply.Kind() != resp.Out {
			return reply, err
		}
	}
}

// appendAnswer appends a reply as {"result":…} or {"error":"…"}.
func appendAnswer(dst []byte, reply resp.Reply) []byte {
	if reply.IsError() {
		return resp.AppendJSON(dst, reply)
	}
	return append(resp.AppendJSON(append(dst, `{"result":`...), reply), '}')
}

// answerAll answers with the replies as they come. If the link ends before all are
// there, the answer breaks off, so that nobody takes it for whole.
func answerAll(w http.ResponseWriter, l *link, n int) {
	var line []byte
	for i := range n {
		reply, err := l.next()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		line = append(line[:0], "[,"[min(i, 1)])
		if _, err = w.Write(appendAnswer(line, reply)); err != nil {
			return
		}
	}
	io.WriteString(w, "]\n") // that it fails is the client's business
}

// answerTransaction answers with what EXEC has answered, or with the first mistake
// for which it has not run.
func answerTransaction(w http.ResponseWriter, r *http.Request, l *link, o *order) {
	var mistake, exec resp.Reply
	for range len(o.commands) + 1 {
		reply, err := l.next()
		if err != nil {
			refuse(w, r, errGone)
			return
		}
		if exec = reply; reply.IsError() && !mistake.IsError() {
			mistake = reply
		}
	}
	if exec.IsError() {
		refuse(w, r, mistake.Str())
		return
	}
	var answer []byte
	for i, reply := range exec.Items() {
		answer = appendAnswer(append(answer, "[,"[min(i, 1)]), reply)
	}
	if o.single {
		answer = answer[1:]
	} else {
		answer = append(answer, ']')
	}
	w.Write(append(answer, '\n')) // that it fails is the client's business
}
