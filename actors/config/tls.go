package config

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/troupedb/troupe/actors"
)

// tlsFailure is why TLS can't be spoken as the settings say.
type tlsFailure struct{ error }

func (f tlsFailure) Unwrap() error { return f.error }

// tlsRefusal is Redis's answer to CONFIG SET then; the log tells more.
const tlsRefusal = "Unable to update TLS configuration. Check server logs."

// secure reads the certificates again, if TLS is spoken.
func secure(c *Config, s *actors.System) error {
	spoken := c.Int("tls-port") != 0 || c.sockets.TLS || c.Bool("http-tls") && (c.Text("http") != "" || c.sockets.HTTP)
	if !spoken {
		return nil
	}
	made, err := c.tlsConfig()
	if err != nil {
		return tlsFailure{fmt.Errorf("setting up TLS: %w", err)}
	}
	s.SetTLS(made)
	return nil
}

// tlsConfig is what the settings make of TLS. The errors are Redis's, as far as
// it has any.
func (c *Config) tlsConfig() (*tls.Config, error) {
	made := &tls.Config{
		DynamicRecordSizingDisabled: true, // replies are read whole, not looked at as they arrive
		SessionTicketsDisabled:      !c.Bool("tls-session-caching"),
		CipherSuites:                cipherSuites(c.Text("tls-ciphers")),
	}
	made.MinVersion, made.MaxVersion = versionRange(c.Text("tls-protocols"))
	certificate, err := c.Certificate()
	if err != nil {
		return nil, err
	}
	made.Certificates = []tls.Certificate{certificate}
	if err := c.addAuthorities(made); err != nil {
		return nil, err
	}
	if age := c.Int("tls-session-cache-timeout"); age > 0 {
		boundTickets(made, time.Duration(age)*time.Second)
	}
	return made, nil
}

// Certificate is the server's own, read from its files.
func (c *Config) Certificate() (pair tls.Certificate, err error) {
	for _, name := range []string{"tls-cert-file", "tls-key-file"} {
		if c.Text(name) == "" {
			return pair, fmt.Errorf("No %s configured!", name)
		}
	}
	certificate, err := os.ReadFile(c.Text("tls-cert-file"))
	if err != nil {
		return pair, fmt.Errorf("Failed to load certificate: %w", err)
	}
	key, err := os.ReadFile(c.Text("tls-key-file"))
	if err == nil {
		key, err = decryptKey(key, c.Text("tls-key-file-pass"))
	}
	if err != nil {
		return pair, fmt.Errorf("Failed to load private key: %w", err)
	}
	if pair, err = tls.X509KeyPair(certificate, key); err != nil {
		err = fmt.Errorf("Failed to load certificate: %s: %w", c.Text("tls-cert-file"), err)
	}
	return pair, err
}

// clientAuths says what is asked of clients.
var clientAuths = map[string]tls.ClientAuthType{
	"no": tls.NoClientCert, "yes": tls.RequireAndVerifyClientCert, "optional": tls.VerifyClientCertIfGiven,
}

// addAuthorities says who vouches for clients.
func (c *Config) addAuthorities(made *tls.Config) error {
	made.ClientAuth = clientAuths[c.Text("tls-auth-clients")]
	file, dir := c.Text("tls-ca-cert-file"), c.Text("tls-ca-cert-dir")
	if made.ClientAuth == tls.NoClientCert {
		return nil
	}
	if file == "" && dir == "" {
		return errors.New("Either tls-ca-cert-file or tls-ca-cert-dir must be specified when tls-cluster, tls-replication or tls-auth-clients are enabled!")
	}
	var paths []string
	if file != "" {
		paths = append(paths, file)
	}
	if dir != "" {
		within, err := filesOf(dir)
		if err != nil {
			return fmt.Errorf("Failed to configure CA certificate(s) file/directory: %w", err)
		}
		paths = append(paths, within...)
	}
	made.ClientCAs = x509.NewCertPool()
	found := false
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("Failed to configure CA certificate(s) file/directory: %w", err)
		}
		isOne := made.ClientCAs.AppendCertsFromPEM(text)
		if !isOne && path == file {
			return fmt.Errorf("Failed to configure CA certificate(s) file/directory: there is no certificate in %s", path)
		}
		found = found || isOne
	}
	if !found {
		return fmt.Errorf("Failed to configure CA certificate(s) file/directory: there is no certificate in %s", dir)
	}
	return nil
}

// filesOf are the files of a folder, what links point to included.
func filesOf(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if file, err := os.Stat(path); err == nil && file.Mode().IsRegular() {
			paths = append(paths, path)
		}
	}
	return paths, err
}

// boundTickets makes tickets good for a while after the handshake that they are of:
// its time is written into them.
func boundTickets(made *tls.Config, age time.Duration) {
	made.WrapSession = func(state tls.ConnectionState, session *tls.SessionState) ([]byte, error) {
		session.Extra = append(session.Extra, binary.BigEndian.AppendUint64(nil, uint64(time.Now().Unix())))
		return made.EncryptTicket(state, session)
	}
	made.UnwrapSession = func(ticket []byte, state tls.ConnectionState) (*tls.SessionState, error) {
		session, err := made.DecryptTicket(ticket, state)
		if session == nil || err != nil {
			return nil, err
		}
		for _, extra := range session.Extra {
			if len(extra) == 8 && time.Since(time.Unix(int64(binary.BigEndian.Uint64(extra)), 0)) < age {
				return session, nil
			}
		}
		return nil, nil
	}
}

// versions are those of tls-protocols, in their order.
var versions = []struct {
	name   string
	number uint16
}{
	{"TLSv1", tls.VersionTLS10}, {"TLSv1.1", tls.VersionTLS11}, {"TLSv1.2", tls.VersionTLS12}, {"TLSv1.3", tls.VersionTLS13},
}

// chosenVersions are the places of the versions that a value names; ok is false
// if it names something else.
func chosenVersions(value string) (chosen []int, ok bool) {
	for _, word := range strings.Fields(value) {
		at := -1
		for i, v := range versions {
			if strings.EqualFold(word, v.name) {
				at = i
			}
		}
		if at < 0 {
			return nil, false
		}
		chosen = append(chosen, at)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen), true
}

func parseProtocols(_ *Setting, word string) (string, error) {
	chosen, ok := chosenVersions(word)
	switch {
	case !ok || len(chosen) == 0 && word != "":
		return "", errors.New("Invalid tls-protocols specified. Use a combination of 'TLSv1', 'TLSv1.1', 'TLSv1.2' and 'TLSv1.3'.")
	case len(chosen) > 0 && chosen[len(chosen)-1]-chosen[0] != len(chosen)-1:
		return "", errors.New("versions can't be left out between others")
	}
	return word, nil
}

// versionRange is the least and the greatest version of tls-protocols.
func versionRange(value string) (least, most uint16) {
	chosen, _ := chosenVersions(value)
	if len(chosen) == 0 {
		return tls.VersionTLS12, tls.VersionTLS13
	}
	return versions[chosen[0]].number, versions[chosen[len(chosen)-1]].number
}

// suites are those of TLS 1.2 and before, by OpenSSL's names.
var suites = map[string]uint16{
	"ECDHE-ECDSA-AES128-GCM-SHA256": tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-RSA-AES128-GCM-SHA256":   tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	"ECDHE-ECDSA-AES256-GCM-SHA384": tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-RSA-AES256-GCM-SHA384":   tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	"ECDHE-ECDSA-CHACHA20-POLY1305": tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-RSA-CHACHA20-POLY1305":   tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	"ECDHE-ECDSA-AES128-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA,
	"ECDHE-RSA-AES128-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
	"ECDHE-ECDSA-AES256-SHA":        tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA,
	"ECDHE-RSA-AES256-SHA":          tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
}

// all names what stands for all suites that there are; never those that there
// are not, so that to rule them out is to change nothing.
var (
	allSuites   = []string{"DEFAULT", "HIGH", "ALL"}
	neverSuites = []string{"!MEDIUM", "!LOW", "!EXP", "!EXPORT", "!NULL", "!ANULL", "!ENULL", "!ADH", "!MD5", "!RC4", "!DES",
		"!3DES", "!PSK", "!SRP", "!DSS", "!CAMELLIA", "!SEED", "!IDEA", "!KRSA", "!DHE", "!EDH", "!ADSS", "@STRENGTH"}
)

func suiteWords(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ',' || r == ' ' })
}

func parseCiphers(_ *Setting, word string) (string, error) {
	some := word == ""
	for _, name := range suiteWords(word) {
		upper := strings.ToUpper(name)
		isOne := suites[upper] != 0 || slices.Contains(allSuites, upper)
		some = some || isOne
		if !isOne && !slices.Contains(neverSuites, upper) {
			return "", fmt.Errorf("there is no cipher suite %s", name)
		}
	}
	if !some {
		return "", errors.New("no cipher suite is left")
	}
	return word, nil
}

// cipherSuites are those of tls-ciphers; none stands for all.
func cipherSuites(value string) (chosen []uint16) {
	for _, name := range suiteWords(value) {
		upper := strings.ToUpper(name)
		if slices.Contains(allSuites, upper) {
			return nil
		}
		if number := suites[upper]; number != 0 {
			chosen = append(chosen, number)
		}
	}
	return chosen
}

func parseCipherSuites(_ *Setting, word string) (string, error) {
	named := map[string]bool{}
	for _, name := range suiteWords(word) {
		named[strings.ToUpper(name)] = true
	}
	for _, name := range []string{"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"} {
		if len(named) > 0 && !named[name] {
			return "", fmt.Errorf("%s is always there: of TLS 1.3 no cipher suite can be left out", name)
		}
	}
	return word, nil
}
