// Command chatroom is a room in which people talk, each at a terminal: what one
// types all others see. It uses DiceDB's own library, with nothing of Troupe in it.
//
// A room is a sorted set of its messages, with their numbers for scores, and
// everybody in it watches the last ones. So a message that comes while a slow
// terminal is busy is not lost for it, as it would be were the last message a
// string that the next one replaces.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/dicedb/dicedb-go"
	"github.com/dicedb/dicedb-go/wire"
)

// shown is how many messages are seen on entering, and how far a terminal may lag behind.
const shown = 50

func main() {
	host := flag.String("host", "127.0.0.1", "of the server")
	port := flag.Int("port", 7379, "of the server")
	room := flag.String("room", "lobby", "to enter")
	flag.Parse()
	name := flag.Arg(0)
	if name == "" {
		fmt.Fprintln(os.Stderr, "usage: chatroom [-host HOST] [-port PORT] [-room ROOM] NAME")
		os.Exit(2)
	}
	if err := enter(*host, *port, "chat:"+*room, name); err != nil {
		fmt.Fprintln(os.Stderr, "chatroom:", err)
		os.Exit(1)
	}
}

// enter shows what is said in a room, and says what is typed, until the input ends.
func enter(host string, port int, room, name string) error {
	client, err := dicedb.NewClient(host, port)
	if err != nil {
		return err
	}
	pushes, err := client.WatchCh()
	if err != nil {
		return err
	}
	// Places count from the end: the last ones, in their order.
	first, err := fire(client, "ZRANGE.WATCH", room, strconv.Itoa(-shown), "-1")
	if err != nil {
		return err
	}
	heard := hearing{}
	heard.show(first)
	go func() {
		for push := range pushes {
			heard.show(push)
		}
		fmt.Fprintln(os.Stderr, "chatroom: the server is gone")
		os.Exit(1)
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if text := strings.TrimSpace(lines.Text()); text != "" {
			if err := say(client, room, name+": "+text); err != nil {
				return err
			}
		}
	}
	return nil
}

// say adds a message, with the next number.
func say(client *dicedb.Client, room, message string) error {
	number, err := fire(client, "INCR", room+":number")
	if err != nil {
		return err
	}
	_, err = fire(client, "ZADD", room, strconv.FormatInt(number.GetINCRRes().GetValue(), 10), message)
	return err
}

// fire runs a command; the server's refusal is an error.
func fire(client *dicedb.Client, name string, args ...string) (*wire.Result, error) {
	result := client.Fire(&wire.Command{Cmd: name, Args: args})
	if result.Status == wire.Status_ERR {
		return nil, fmt.Errorf("%s: %s", name, result.Message)
	}
	return result, nil
}

// hearing are the numbers of the messages in the last state. They need not come
// in order: who had his number first may be the second to speak.
type hearing map[int64]bool

// show prints the messages that are new in a state of the room.
func (h hearing) show(state *wire.Result) {
	elements := state.GetZRANGERes().GetElements()
	for _, element := range elements {
		if !h[element.Score] {
			fmt.Println(element.Member)
		}
	}
	clear(h)
	for _, element := range elements {
		h[element.Score] = true
	}
}
