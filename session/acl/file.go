package acl

import (
	"errors"
	"fmt"
	"strings"
)

// The text of an aclfile is a user a line, "user <name> <rule> …", words being
// parted by blanks; lines may be empty.

// Text is the users in the form of an aclfile.
func (us *Users) Text() string {
	var b strings.Builder
	for _, line := range us.Lines() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// Lines are the users in the form of an aclfile, by name.
func (us *Users) Lines() (lines []string) {
	for _, a := range us.All() {
		lines = append(lines, "user "+a.name+" "+us.Describe(a.Now()))
	}
	return lines
}

// Load replaces all users by those of a text. Who is in it keeps his account;
// the accounts of all others, which are returned, are gone; without a line the
// default user is as new. If anything is wrong, nothing changes: the error says
// what, and on which line of the file of that name.
func (us *Users) Load(text, file string) (gone []*Account, err error) {
	us.mu.Lock()
	defer us.mu.Unlock()
	var mistakes []string
	users := map[string]*User{}
	for i, line := range strings.Split(text, "\n") {
		d, err := us.readLine(line)
		switch {
		case err != nil:
			mistakes = append(mistakes, fmt.Sprintf("%s:%d: %s.", file, i+1, strings.TrimSuffix(err.Error(), ".")))
		case d == nil:
		case users[d.name] != nil:
			mistakes = append(mistakes, fmt.Sprintf("%s:%d: Duplicate user '%s'.", file, i+1, d.name))
		default:
			users[d.name] = d.done()
		}
	}
	if mistakes != nil {
		return nil, errors.New(strings.Join(mistakes, " ") +
			" WARNING: ACL errors detected, no change to the previously active ACL rules was performed")
	}
	return us.replace(users), nil
}

// readLine reads a line, which gives nothing if it is empty.
func (us *Users) readLine(line string) (*draft, error) {
	line = strings.Trim(line, " \t\r\n")
	if line == "" {
		return nil, nil
	}
	words := strings.Split(line, " ")
	if words[0] != "user" || len(words) < 2 {
		return nil, errors.New("should start with user keyword followed by the username")
	}
	for i := range words {
		words[i] = strings.Trim(words[i], "\t\r\n")
	}
	return us.read(words[1], words[2:])
}

// read makes a user of rules, without keeping him.
func (us *Users) read(name string, rules []string) (*draft, error) {
	if hasBlanks(name) {
		return nil, fmt.Errorf("username '%s' contains invalid characters", name)
	}
	d := us.newDraft(name)
	if err := d.applyAll(rules); err != nil {
		return nil, err
	}
	return d, nil
}

// replace puts users in the place of all. The caller holds the lock.
func (us *Users) replace(users map[string]*User) (gone []*Account) {
	if users[DefaultName] == nil {
		users[DefaultName] = us.newDefault()
	}
	for name, a := range us.byName {
		if users[name] == nil {
			delete(us.byName, name)
			a.leave()
			gone = append(gone, a)
		}
	}
	for name, u := range users {
		a := us.byName[name]
		if a == nil {
			a = &Account{name: name}
			us.byName[name] = a
		}
		a.now.Store(u)
	}
	return gone
}

// Plausible tells the mistakes of a user's rules that show without knowing the
// commands.
func Plausible(name string, rules []string) error {
	us := NewUsers(NewCommands(nil))
	if hasBlanks(name) {
		return ErrName
	}
	d := us.newDraft(name)
	d.lenient = true
	return d.applyAll(rules)
}
