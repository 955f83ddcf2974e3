package config

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"hash"
)

// Private keys in encrypted files. There are two forms: that which OpenSSL 3
// writes, "ENCRYPTED PRIVATE KEY" (PKCS #8, RFC 5958, with PBES2 of RFC 8018: a
// key from the password by PBKDF2, AES in CBC mode), and an older one with a
// header of its own (RFC 1423), which the standard library knows.

var (
	errKeyPassword = errors.New("the private key can't be decrypted: is tls-key-file-pass right?")
	errKeyForm     = errors.New("the private key is encrypted in a way that is not known here; openssl pkcs8 -topk8 -v2 aes-256-cbc writes one that is")
)

// decryptKey is the file of a private key without its encryption, if it has any.
func decryptKey(file []byte, password string) ([]byte, error) {
	for rest := file; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return file, nil // what it is, its reader will say
		}
		switch {
		case block.Type == "ENCRYPTED PRIVATE KEY":
			plain, err := decryptPKCS8(block.Bytes, []byte(password))
			return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain}), err
		case block.Headers["DEK-Info"] != "":
			plain, err := x509.DecryptPEMBlock(block, []byte(password))
			if err != nil {
				err = errKeyPassword
			}
			return pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: plain}), err
		}
	}
}

// The structures of RFC 8018, appendix A.
type (
	encryptedKey struct {
		Algorithm struct {
			ID     asn1.ObjectIdentifier
			Params pbes2
		}
		Data []byte
	}
	pbes2 struct {
		Derivation struct {
			ID     asn1.ObjectIdentifier
			Params derivation
		}
		Cipher struct {
			ID     asn1.ObjectIdentifier
			Vector []byte
		}
	}
	derivation struct {
		Salt       []byte
		Iterations int
		KeyBytes   int                      `asn1:"optional"`
		Hash       pkix.AlgorithmIdentifier `asn1:"optional"`
	}
)

var (
	idPBES2  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	idPBKDF2 = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
)

// keyBytes are the lengths of the keys of AES in CBC mode, by its identifiers.
var keyBytes = map[string]int{
	"2.16.840.1.101.3.4.1.2": 16, "2.16.840.1.101.3.4.1.22": 24, "2.16.840.1.101.3.4.1.42": 32,
}

// hashes are those of PBKDF2; without one it is the first.
var hashes = map[string]func() hash.Hash{
	"": sha1.New, "1.2.840.113549.2.7": sha1.New,
	"1.2.840.113549.2.9": sha256.New, "1.2.840.113549.2.10": sha512.New384, "1.2.840.113549.2.11": sha512.New,
}

// iterationsMost bounds what a file may ask of the start of a server.
const iterationsMost = 10_000_000

func decryptPKCS8(der, password []byte) ([]byte, error) {
	var key encryptedKey
	if _, err := asn1.Unmarshal(der, &key); err != nil {
		return nil, errKeyForm
	}
	from, with := &key.Algorithm.Params.Derivation, &key.Algorithm.Params.Cipher
	size, mix := keyBytes[with.ID.String()], hashes[from.Params.Hash.Algorithm.String()]
	if !key.Algorithm.ID.Equal(idPBES2) || !from.ID.Equal(idPBKDF2) || size == 0 || mix == nil ||
		from.Params.Iterations > iterationsMost || len(with.Vector) != aes.BlockSize ||
		len(key.Data) == 0 || len(key.Data)%aes.BlockSize != 0 {
		return nil, errKeyForm
	}
	secret, err := pbkdf2.Key(mix, string(password), from.Params.Salt, from.Params.Iterations, size)
	if err != nil {
		return nil, errKeyForm
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, errKeyForm
	}
	plain := make([]byte, len(key.Data))
	cipher.NewCBCDecrypter(block, with.Vector).CryptBlocks(plain, key.Data)
	padding := int(plain[len(plain)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil, errKeyPassword
	}
	plain = plain[:len(plain)-padding]
	if _, err := x509.ParsePKCS8PrivateKey(plain); err != nil {
		return nil, errKeyPassword
	}
	return plain, nil
}
