package dicetest

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// patience is how long a message may take that must come.
const patience = 60 * time.Second

// Conn is a link that speaks one of the protocols.
type Conn struct {
	net.Conn
	// Raw says that messages stand without frames.
	Raw bool
}

// Encode is a command as the link sends it.
func (c *Conn) Encode(words ...string) []byte { return Encode(c.Raw, words...) }

// Encode is a command in one of the protocols.
func Encode(raw bool, words ...string) []byte {
	body := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), words[0])
	for _, arg := range words[1:] {
		body = protowire.AppendString(protowire.AppendTag(body, 2, protowire.BytesType), arg)
	}
	if raw {
		return body
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// Send sends a command.
func (c *Conn) Send(words ...string) error {
	_, err := c.Write(c.Encode(words...))
	return err
}

// Ask sends a command and returns the next message.
func (c *Conn) Ask(words ...string) (Message, error) {
	if err := c.Send(words...); err != nil {
		return Message{}, err
	}
	return c.Receive()
}

// Receive returns the next message. Without frames that is what has come, as
// for their clients.
func (c *Conn) Receive() (m Message, err error) {
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return m, err
	}
	if !c.Raw {
		return c.receiveFrame()
	}
	var all []byte
	for buf := make([]byte, 16384); ; {
		n, err := c.Read(buf)
		all = append(all, buf[:n]...)
		if err != nil {
			return m, err
		}
		if n < len(buf) {
			return DecodeResponse(all)
		}
	}
}

func (c *Conn) receiveFrame() (m Message, err error) {
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return m, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length == 0 || length > 32<<20 {
		return m, fmt.Errorf("a frame of %d bytes", length)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c, body); err != nil {
		return m, err
	}
	return DecodeResult(body)
}
