// Command dicesdk1010 is a client of DiceDB's own Go library, version 1.0.10,
// which speaks the protocol with frames. It does what its input says, a line
// an order, and prints what it sees, a line each:
//
//	fire ["GET","k"]  sends a command: "reply " and the result
//	watch             opens the link for pushes: "watching", then "push " and a result for each
//	reconnect         begins again with the same id: "connected"
//	close             closes the library's client: "closed"
//
// Results are in protobuf's JSON. With -modfile=dicesdk107.mod or
// dicesdk1011.mod it is one of that version.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/dicedb/dicedb-go"
	"github.com/dicedb/dicedb-go/wire"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func main() {
	port := flag.Int("port", 7379, "of the server, on this machine")
	id := flag.String("id", "", "of the client; empty: one of the library's")
	flag.Parse()
	client := connect(*port, *id)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		order, rest, _ := strings.Cut(lines.Text(), " ")
		switch order {
		case "fire":
			var words []string
			if err := json.Unmarshal([]byte(rest), &words); err != nil {
				say("error", err.Error())
				continue
			}
			say("reply", text(client.Fire(&wire.Command{Cmd: words[0], Args: words[1:]})))
		case "watch":
			pushes, err := client.WatchCh()
			if err != nil {
				say("error", err.Error())
				continue
			}
			say("watching", "")
			go show(pushes)
		case "reconnect":
			client = connect(*port, *id)
		case "close":
			client.Close()
			say("closed", "")
		}
	}
}

func connect(port int, id string) *dicedb.Client {
	client, err := open(port, id)
	if err != nil {
		say("error", err.Error())
		os.Exit(1)
	}
	say("connected", "")
	return client
}

func open(port int, id string) (*dicedb.Client, error) {
	if id == "" {
		return dicedb.NewClient("127.0.0.1", port)
	}
	return dicedb.NewClient("127.0.0.1", port, dicedb.WithID(id))
}

func show(pushes <-chan *wire.Result) {
	for push := range pushes {
		say("push", text(push))
	}
	say("ended", "")
}

// text is a message in JSON without the blanks that protobuf puts in at random.
func text(m proto.Message) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(protojson.Format(m))); err != nil {
		return err.Error()
	}
	return compact.String()
}

var output sync.Mutex

func say(what, text string) {
	output.Lock()
	defer output.Unlock()
	fmt.Println(strings.TrimSpace(what + " " + text))
}
