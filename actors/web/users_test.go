package web_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// withUsers starts a port with a password and a user who may read keys of his own.
func withUsers(t *testing.T) *port {
	t.Helper()
	p := start(t)
	for _, rules := range []string{
		"ann on >secret ~ann:* +@read +@write +info", "off off >secret allkeys +@all", "ops on >op:s allkeys +@all",
	} {
		if got := p.ask(append([]string{"ACL", "SETUSER"}, strings.Fields(rules)...)...); got != "+OK" {
			t.Fatal(got)
		}
	}
	p.ask("CONFIG", "SET", "requirepass", "owner")
	return p
}

func TestUsers(t *testing.T) {
	t.Parallel()
	p := withUsers(t)
	f := func(authorization, body string, status int, text string) {
		t.Helper()
		var headers []string
		if authorization != "" {
			headers = append(headers, "Authorization: "+authorization)
		}
		got, answer := p.do("POST", "/command", body, headers...)
		if got != status || !strings.HasPrefix(answer, text) {
			t.Errorf("%s as %q is answered %d %s, want %d %s", body, authorization, got, answer, status, text)
		}
	}
	const basicAnn, basicOff, basicNobody, basicOwner = "Basic YW5uOnNlY3JldA==", "Basic b2ZmOnNlY3JldA==", "Basic OnNlY3JldA==", "Basic Om93bmVy"
	f("", `["PING"]`, 401, `{"error":"NOAUTH`)
	f("Bearer owner", `["PING"]`, 200, `{"result":"PONG"}`)
	f("bearer default:owner", `["PING"]`, 200, `{"result":"PONG"}`)
	f("Bearer ops:op:s", `["PING"]`, 200, `{"result":"PONG"}`)
	f("Bearer wrong", `["PING"]`, 401, `{"error":"WRONGPASS`)
	f(basicOwner, `["ACL","WHOAMI"]`, 200, `{"result":"default"}`)
	f(basicAnn, `["SET","ann:k","v"]`, 200, `{"result":"OK"}`)
	f(basicAnn, `["GET","bob:k"]`, 403, `{"error":"NOPERM`)
	f(basicAnn, `["CONFIG","GET","*"]`, 403, `{"error":"NOPERM`)
	f(basicAnn, `[["GET","ann:k"],["GET","bob:k"]]`, 200, `[{"result":"v"},{"error":"NOPERM`)
	f(basicAnn, `{"commands":[["SET","ann:k","w"]],"atomic":true}`, 403, `{"error":"NOPERM`)
	f(basicAnn, `["GET","ann:k"]`, 200, `{"result":"v"}`)
	f(basicOff, `["PING"]`, 401, `{"error":"WRONGPASS`)
	f(basicNobody, `["PING"]`, 401, `{"error":"WRONGPASS`)
	f("Basic ???", `["PING"]`, 400, `{"error":"ERR the Authorization`)
	f("Digest x", `["PING"]`, 400, `{"error":"ERR the Authorization`)
	log := p.log("Bearer owner")
	if !strings.Contains(log, "ann") || !strings.Contains(log, "bob:k") || strings.Contains(log, "secret") {
		t.Errorf("ACL LOG is %s", log)
	}
}

func (p *port) log(authorization string) string {
	_, text := p.do("POST", "/command", `["ACL","LOG"]`, "Authorization: "+authorization)
	return text
}

// A ticket is good for one watch, of the user who asked for it.
func TestTicket(t *testing.T) {
	t.Parallel()
	p := withUsers(t)
	ticket := func() string {
		t.Helper()
		status, text := p.do("POST", "/ticket", "", "Authorization: Bearer ann:secret")
		var answer struct{ Ticket string }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK || len(answer.Ticket) < 30 {
			t.Fatalf("%d %s", status, text)
		}
		return answer.Ticket
	}
	f := func(ticket, query string, status int, text string) {
		t.Helper()
		if got, answer := p.do("GET", "/watch?ticket="+ticket+"&q="+query, ""); got != status || !strings.HasPrefix(answer, text) {
			t.Errorf("%s is answered %d %s, want %d %s", query, got, answer, status, text)
		}
	}
	if status, _ := p.do("POST", "/ticket", ""); status != http.StatusUnauthorized {
		t.Errorf("nobody gets a ticket with status %d", status)
	}
	one := ticket()
	s := p.watch("&ticket="+one, "GET ann:k")
	s.want("state", "null")
	f(one, "GET%20ann:k", 401, `{"error":"WRONGPASS the ticket`)
	f("nonsense", "GET%20ann:k", 401, `{"error":"WRONGPASS the ticket`)
	f("", "GET%20ann:k", 401, `{"error":"NOAUTH`)
	f(ticket(), "GET%20bob:k", 403, `{"error":"NOPERM`)
	void := ticket()
	p.do("POST", "/command", `["ACL","SETUSER","ann","resetkeys","~other:*"]`, "Authorization: Bearer owner")
	f(void, "GET%20other:k", 401, `{"error":"WRONGPASS the ticket`)
	s.want("end", `{"error":"NOPERM the user of the live query has lost a right that it needs"}`)
	if _, ok := s.next(); ok {
		t.Error("the stream goes on without the right")
	}
}

// A user who is deleted loses his streams.
func TestUserDeleted(t *testing.T) {
	t.Parallel()
	p := withUsers(t)
	s := p.watchWith([]string{"Authorization: Bearer ann:secret"}, "", "GET ann:k")
	s.want("state", "null")
	p.do("POST", "/command", `["ACL","DELUSER","ann"]`, "Authorization: Bearer owner")
	s.want("end", `{"error":"ERR the connection to the data has been closed"}`)
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	p := start(t, "http-allow-origin https://app.example http://other.example:8080")
	own := "http://" + p.web.Addresses()[0]
	f := func(status int, allowed string, headers ...string) {
		t.Helper()
		answer, err := http.DefaultClient.Do(p.request("POST", "/command", `["PING"]`, headers...))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := answer.Header.Get("Access-Control-Allow-Origin"); answer.StatusCode != status || got != allowed {
			t.Errorf("%v: %s, allowed %q; want %d, %q", headers, answer.Status, got, status, allowed)
		}
	}
	f(200, "")
	f(200, "", "Origin: "+own)
	f(200, "https://app.example", "Origin: https://app.example")
	f(200, "http://other.example:8080", "Origin: http://other.example:8080")
	f(403, "", "Origin: http://app.example")
	f(403, "", "Origin: https://evil.example")
	f(403, "", "Origin: null")
	f(403, "", "Sec-Fetch-Site: cross-site")
	f(200, "", "Sec-Fetch-Site: same-origin")
	f(200, "", "Sec-Fetch-Site: none")
	f(403, "", "Host: evil.example")
	f(200, "", "Host: localhost:1234")
	f(200, "", "Host: [::1]")
	answer, err := http.DefaultClient.Do(p.request("OPTIONS", "/command", "", "Origin: https://app.example", "Access-Control-Request-Method: POST"))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent || !strings.Contains(answer.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("the preflight is answered %v", answer)
	}
	p.ask("CONFIG", "SET", "http-allow-origin", "*")
	f(200, "https://evil.example", "Origin: https://evil.example")
	p.ask("CONFIG", "SET", "http-allow-origin", "", "protected-mode", "no")
	f(403, "", "Origin: https://app.example")
	f(200, "", "Host: troupe.example")
}
