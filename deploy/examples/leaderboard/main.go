// Command leaderboard is a game without players: it gives points to names drawn
// by lot, and serves a page on which the best ten are always as they are now.
//
// The points are given through an ordinary Redis library. The page follows the
// live query ZRANGE board 0 9 REV WITHSCORES by server-sent events, which the
// program passes on from Troupe's HTTP port, so that the page has one origin
// and Troupe needs none but this program for a visitor.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed index.html
var page []byte

// board is the key of the sorted set.
const board = "board"

var players = []string{
	"Ada", "Alan", "Barbara", "Brian", "Dennis", "Donald", "Edsger", "Frances", "Grace", "Hedy",
	"John", "Ken", "Leslie", "Lynn", "Margaret", "Niklaus", "Radia", "Robin", "Shafi", "Tony",
}

func main() {
	server := flag.String("redis", "127.0.0.1:7379", "where Troupe listens")
	web := flag.String("http", "127.0.0.1:8379", "where Troupe's HTTP port is")
	listen := flag.String("listen", "127.0.0.1:8080", "where to serve the page; port 0: a free one")
	pace := flag.Duration("pace", 300*time.Millisecond, "time between two gains")
	gains := flag.Int("gains", -1, "how many gains there are; -1: without end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(*listen, *web); err != nil {
		log.Fatal(err)
	}
	if err := play(ctx, *server, *pace, *gains); err != nil {
		log.Fatal(err)
	}
	<-ctx.Done()
}

// serve serves the page, and what Troupe tells of the board.
func serve(listen, web string) error {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: web})
		// Whatever a page asks, it is told of the board and of nothing else.
		r.Out.URL.RawQuery = url.Values{"q": {"ZRANGE " + board + " 0 9 REV WITHSCORES"}}.Encode()
	}}
	http.Handle("GET /watch", proxy)
	http.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
	fmt.Printf("http://%s shows the board\n", listener.Addr())
	go func() { log.Fatal(http.Serve(listener, nil)) }()
	return nil
}

// play gives points until it is told to stop.
func play(ctx context.Context, server string, pace time.Duration, gains int) error {
	client := redis.NewClient(&redis.Options{Addr: server})
	defer client.Close()
	for ; gains != 0; gains-- {
		player := players[rand.IntN(len(players))]
		if err := client.ZIncrBy(ctx, board, float64(1+rand.IntN(50)), player).Err(); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}
