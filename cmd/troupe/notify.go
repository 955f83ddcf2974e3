package main

import (
	"net"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
)

// notifier tells systemd what the server does: datagrams to the socket that
// NOTIFY_SOCKET names (sd_notify(3)). Where nobody asks, it does nothing.
type notifier struct {
	socket string
	log    hclog.Logger
}

func newNotifier(environ []string, log hclog.Logger) notifier {
	return notifier{variable(environ, "NOTIFY_SOCKET"), log}
}

// variable is the value of a variable, "" if it is not set.
func variable(environ []string, name string) string {
	for _, entry := range environ {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

func (n notifier) isAsked() bool { return n.socket != "" }

// notifyPatience is how long systemd may take to take a message. A server waits no
// longer for who only watches over it.
const notifyPatience = time.Second

// tell sends states such as READY=1 as one message. That it did not arrive is
// logged: systemd will say it too, by ending a server of which it has not heard.
func (n notifier) tell(states ...string) (arrived bool) {
	if !n.isAsked() {
		return false
	}
	if err := n.send(strings.Join(states, "\n")); err != nil {
		n.log.Warn("systemd was not told", "states", states, "error", err)
		return false
	}
	return true
}

// supervisor is who listens, as INFO names it: systemd if it takes a first word.
// Redis's setting supervised does not matter: who is asked tells.
func (n notifier) supervisor() string {
	if n.tell(status("starting"), extend(extension)) {
		return "systemd"
	}
	return ""
}

func (n notifier) send(message string) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetWriteDeadline(time.Now().Add(notifyPatience)); err != nil {
		return err
	}
	_, err = conn.Write([]byte(message))
	return err
}

// status is a state that says in words what the server is at.
func status(words string) string { return "STATUS=" + words }
