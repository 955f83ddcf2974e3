// Command browser uses the console as a person does: it opens the page in a
// headless Chromium, clicks, types, looks at what is shown, and takes pictures. It
// ends with an error when something is not as it should be.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/png"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/redis/go-redis/v9"
)

var (
	page     = flag.String("page", "", "address of the console")
	addr     = flag.String("addr", "", "address of the server for Redis clients")
	program  = flag.String("chromium", "chromium", "the browser")
	pictures = flag.String("pictures", "", "directory for pictures")
	password = flag.String("password", "", "of the default user, if the page has to log in")
	patience = flag.Duration("patience", time.Minute, "how long anything may take")
)

func main() {
	flag.Parse()
	if err := visit(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// visitor is the browser and what it has complained of.
type visitor struct {
	ctx   context.Context
	redis *redis.Client

	mu         sync.Mutex
	complaints []string
}

func visit() error {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(*program), chromedp.NoSandbox, chromedp.WindowSize(1280, 900))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 3**patience)
	defer cancel()
	v := &visitor{ctx: ctx, redis: redis.NewClient(&redis.Options{Addr: *addr, Password: *password})}
	defer v.redis.Close()
	chromedp.ListenTarget(ctx, v.note)
	steps := []struct {
		name string
		do   func() error
	}{
		{"open", v.open}, {"log in", v.logIn}, {"server", v.server}, {"query", v.query}, {"refused query", v.wrongQuery}, {"leaderboard", v.board},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w; complaints: %q", step.name, err, v.complaints)
		}
		fmt.Println("done:", step.name)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.complaints) > 0 {
		return fmt.Errorf("the browser complains: %q", v.complaints)
	}
	return nil
}

// note keeps errors of scripts, and requests for anything but the server.
func (v *visitor) note(event any) {
	complaint := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		complaint = e.ExceptionDetails.Error()
	case *network.EventRequestWillBeSent:
		at, err := url.Parse(e.Request.URL)
		home, _ := url.Parse(*page)
		if err != nil || at.Scheme != "data" && at.Host != home.Host {
			complaint = "asked for " + e.Request.URL
		}
	}
	if complaint != "" {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.complaints = append(v.complaints, complaint)
	}
}

func (v *visitor) open() error {
	return chromedp.Run(v.ctx, network.Enable(), runtime.Enable(), chromedp.Navigate(*page), chromedp.WaitVisible("#charts"))
}

func (v *visitor) logIn() error {
	if *password == "" {
		return nil
	}
	return chromedp.Run(v.ctx, chromedp.WaitVisible("#login"), chromedp.SendKeys("#login [name=password]", *password), chromedp.Click("#login button"))
}

// server waits until the charts have values and the tables lines.
func (v *visitor) server() error {
	const plotted = `[...document.querySelectorAll('.chart canvas')].every(c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(b => b))`
	err := v.until("the charts are plotted", plotted)
	return errors.Join(err,
		v.until("the shards are listed", `document.querySelector('#actors tbody').textContent.includes('shard/0')`),
		v.until("commands are listed", `document.querySelector('#commands tbody').textContent.includes('info')`),
		v.picture("server", "#charts canvas"))
}

// query watches a key that somebody else writes.
func (v *visitor) query() error {
	v.redis.Del(v.ctx, "greeting")
	err := chromedp.Run(v.ctx, chromedp.Click(`[data-view=queries]`), chromedp.WaitVisible("#query"),
		chromedp.SendKeys("#query", "HGETALL greeting"), chromedp.Click("#ask button"))
	if err != nil {
		return err
	}
	if err := v.until("the first state is shown", `document.querySelector('.card .about')?.textContent.includes('1 frame')`); err != nil {
		return err
	}
	v.redis.HSet(v.ctx, "greeting", "said", "hello", "to", "all")
	if err := v.until("the change is shown", `document.querySelector('.card .result').textContent.includes('said: hello')`); err != nil {
		return err
	}
	v.redis.HSet(v.ctx, "greeting", "said", "goodbye")
	err = v.until("the field that has changed is marked", `[...document.querySelectorAll('.card .fresh')].map(l => l.textContent).join() === 'said: goodbye'`)
	if err != nil {
		return err
	}
	if err := v.picture("query", ".card"); err != nil {
		return err
	}
	if err := chromedp.Run(v.ctx, chromedp.Click(".card button")); err != nil {
		return err
	}
	return v.until("the card is gone", `!document.querySelector('.card')`)
}

// wrongQuery asks for what can't be watched.
func (v *visitor) wrongQuery() error {
	err := chromedp.Run(v.ctx, chromedp.SetValue("#query", "SET k v"), chromedp.Click("#ask button"))
	return errors.Join(err, v.until("the refusal is shown", `document.querySelector('.card .wrong')?.textContent.includes('not supported')`))
}

// board plays the game for a while and compares the list with the server's.
func (v *visitor) board() error {
	err := chromedp.Run(v.ctx, chromedp.Click(`[data-view=board]`), chromedp.WaitVisible("#play"), chromedp.Click("#play"))
	if err != nil {
		return err
	}
	if err := v.until("players are shown", `document.querySelectorAll('#players li').length >= 5`); err != nil {
		return err
	}
	if err := chromedp.Run(v.ctx, chromedp.Click("#play")); err != nil {
		return err
	}
	best := func() string {
		names, err := v.redis.ZRevRange(v.ctx, "demo:leaderboard", 0, 9).Result()
		if err != nil {
			return err.Error()
		}
		return strings.Join(names, ",")
	}
	const shown = `[...document.querySelectorAll('#players li')].sort((x, y) => parseInt(x.style.top) - parseInt(y.style.top)).map(l => l.querySelector('.name').textContent).join()`
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var list string
		if err := chromedp.Run(v.ctx, chromedp.Evaluate(shown, &list)); err != nil {
			return err
		}
		if list == best() {
			break
		}
		if time.Since(begin) > *patience {
			return fmt.Errorf("the page shows %s, the server has %s", list, best())
		}
	}
	return v.picture("board", "#players .bar")
}

// until waits for something in the page to be so.
func (v *visitor) until(what, expression string) error {
	ctx, cancel := context.WithTimeout(v.ctx, *patience)
	defer cancel()
	var is bool
	if err := chromedp.Run(ctx, chromedp.Poll("!!("+expression+")", &is, chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(*patience))); err != nil {
		return fmt.Errorf("it does not come about that %s: %w", what, err)
	}
	return nil
}

// picture takes a picture of the page, which has to have something at a place.
func (v *visitor) picture(name, selector string) error {
	var png []byte
	var box map[string]float64
	err := chromedp.Run(v.ctx, chromedp.Evaluate(`document.querySelector('`+selector+`').getBoundingClientRect().toJSON()`, &box), chromedp.CaptureScreenshot(&png))
	if err != nil {
		return err
	}
	if *pictures != "" {
		if err := os.WriteFile(filepath.Join(*pictures, name+".png"), png, 0o644); err != nil {
			return err
		}
	}
	shot, _, err := image.Decode(bytes.NewReader(png))
	if err != nil {
		return err
	}
	colours := map[any]bool{}
	for y := int(box["top"]); y < int(box["bottom"]); y++ {
		for x := int(box["left"]); x < int(box["right"]); x++ {
			colours[shot.At(x, y)] = true
		}
	}
	if len(colours) < 2 {
		return fmt.Errorf("%s: there is nothing to be seen at %s (%v)", name, selector, box)
	}
	return nil
}
