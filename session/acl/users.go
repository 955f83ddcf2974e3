package acl

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// DefaultName is the user of links that have not logged in as another;
// programName that of the program which the server is a part of.
const (
	DefaultName = "default"
	programName = "(program)"
)

// Account is where a user is found from one change to the next. Links keep the
// account, and ask it for the user at each command.
type Account struct {
	name string
	now  atomic.Pointer[User]
	gone atomic.Bool
}

// Name is the user's name.
func (a *Account) Name() string { return a.name }

// Now is the user as he is now: without any rights, if he has been deleted.
func (a *Account) Now() *User { return a.now.Load() }

// Gone reports whether the user has been deleted. Who is given the name later
// has another account.
func (a *Account) Gone() bool { return a.gone.Load() }

// leave takes all rights away for good.
func (a *Account) leave() {
	a.now.Store(&User{name: a.name})
	a.gone.Store(true)
}

// Users are the users of a server. Any goroutine may use them.
type Users struct {
	Commands *Commands
	Log      Log
	// Default is the account of links that have not logged in. It never goes.
	Default *Account
	// Program is the account of the program which the server is a part of. It may
	// do everything, and is no user that rules could change.
	Program *Account

	hearsAll atomic.Bool

	mu     sync.RWMutex // guards what follows, and every change
	byName map[string]*Account
}

// NewUsers makes the users of a new server: the default one, who may do
// everything and needs no password.
func NewUsers(c *Commands) *Users {
	us := &Users{Commands: c, Default: &Account{name: DefaultName}, Program: &Account{name: programName}}
	us.Log.Most.Store(LogMost)
	us.Default.now.Store(us.newDefault())
	us.Program.now.Store(&User{name: programName, enabled: true, mayAll: true})
	us.byName = map[string]*Account{DefaultName: us.Default}
	return us
}

func (us *Users) newDefault() *User {
	d := us.newDraft(DefaultName)
	d.enabled, d.noPass = true, true
	own := d.selectors[0]
	own.setAll(true)
	own.allKeys, own.allChannels = true, true
	return d.done()
}

// SetHearsAll says whether new users may listen to all channels, or to none
// (acl-pubsub-default).
func (us *Users) SetHearsAll(on bool) { us.hearsAll.Store(on) }

// Find is the account of that name, or nil.
func (us *Users) Find(name []byte) *Account {
	us.mu.RLock()
	defer us.mu.RUnlock()
	return us.byName[string(name)]
}

// All are the accounts, by name.
func (us *Users) All() []*Account {
	us.mu.RLock()
	defer us.mu.RUnlock()
	return us.sorted()
}

func (us *Users) sorted() []*Account {
	all := make([]*Account, 0, len(us.byName))
	for _, a := range us.byName {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *Account) int { return cmp.Compare(a.name, b.name) })
	return all
}

// Login is the account that the name and the password are good for, or nil.
func (us *Users) Login(name, password []byte) *Account {
	if a := us.Find(name); a != nil && a.Now().Accepts(password) {
		return a
	}
	return nil
}

// Set changes a user by rules, or makes a new one: all of the rules count, or
// with the error (a *RuleError, an Unmatched or ErrName) none.
func (us *Users) Set(name string, rules []string) (*Account, error) {
	return us.set(name, rules, false)
}

// Define is Set for a user who is made anew, whatever he was.
func (us *Users) Define(name string, rules []string) (*Account, error) {
	return us.set(name, rules, true)
}

func (us *Users) set(name string, rules []string, anew bool) (*Account, error) {
	if hasBlanks(name) {
		return nil, ErrName
	}
	us.mu.Lock()
	defer us.mu.Unlock()
	a := us.byName[name]
	d := us.newDraft(name)
	if a != nil && !anew {
		d = us.draftOf(a.Now())
	}
	if err := d.applyAll(rules); err != nil {
		return nil, err
	}
	if a == nil {
		a = &Account{name: name}
		us.byName[name] = a
	}
	a.now.Store(d.done())
	return a, nil
}

// Delete deletes a user, and returns the account that he had, or nil. The
// default user stays.
func (us *Users) Delete(name []byte) *Account {
	us.mu.Lock()
	defer us.mu.Unlock()
	a := us.byName[string(name)]
	if a == nil || a == us.Default {
		return nil
	}
	delete(us.byName, a.name)
	a.leave()
	return a
}

// SetPassword makes a password the only one of the default user, or no password
// if it is empty (requirepass).
func (us *Users) SetPassword(password string) {
	us.mu.Lock()
	defer us.mu.Unlock()
	d := us.draftOf(us.Default.Now())
	d.noPass, d.passwords = password == "", nil
	if password != "" {
		d.passwords = []string{hash([]byte(password))}
	}
	us.Default.now.Store(d.done())
}
