// Package sopsfile reads SOPS YAML sealed for age recipients, strictly: every
// leaf that the rule covers must be sealed and no other, the MAC must hold, and
// every recipient must open the same data key. It is written from the format's
// description and shares nothing with the writer under test.
package sopsfile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"filippo.io/age"
	"filippo.io/age/armor"
	"gopkg.in/yaml.v3"
)

type metadata struct {
	Age []struct {
		Enc       string `yaml:"enc"`
		Recipient string `yaml:"recipient"`
	} `yaml:"age"`
	EncryptedRegex string `yaml:"encrypted_regex"`
	LastModified   string `yaml:"lastmodified"`
	MAC            string `yaml:"mac"`
	Version        string `yaml:"version"`
}

// IsSealed reports whether a document carries SOPS metadata.
func IsSealed(text []byte) bool {
	var top struct {
		Sops yaml.Node `yaml:"sops"`
	}
	return yaml.Unmarshal(text, &top) == nil && top.Sops.Kind == yaml.MappingNode
}

// Open verifies and decrypts one document and returns it as JSON without its
// metadata (the YAML writer loses some texts: a single line break, for one).
// Every identity must open it.
func Open(text []byte, identities ...*age.X25519Identity) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("not a mapping at the top")
	}
	top := doc.Content[0]
	var meta metadata
	found := false
	for i := 0; i < len(top.Content); i += 2 {
		if top.Content[i].Value == "sops" {
			if err := top.Content[i+1].Decode(&meta); err != nil {
				return nil, err
			}
			top.Content = append(top.Content[:i], top.Content[i+2:]...)
			found = true
			break
		}
	}
	if !found {
		return nil, errors.New("no sops metadata")
	}
	if meta.EncryptedRegex == "" || meta.Version == "" {
		return nil, errors.New("metadata without a rule or a version")
	}
	rule, err := regexp.Compile(meta.EncryptedRegex)
	if err != nil {
		return nil, err
	}
	key, err := dataKey(&meta, identities)
	if err != nil {
		return nil, err
	}
	r := &reader{key: key, rule: rule, seen: map[string]string{}}
	if err := r.walk(top, nil, false); err != nil {
		return nil, err
	}

	modified, err := time.Parse(time.RFC3339, meta.LastModified)
	if err != nil {
		return nil, err
	}
	mac, kind, err := r.open(meta.MAC, modified.Format(time.RFC3339))
	if err != nil || kind != "str" {
		return nil, fmt.Errorf("mac: of type %q: %w", kind, err)
	}
	want := strings.ToUpper(hex.EncodeToString(r.hash.Sum()))
	if subtle.ConstantTimeCompare([]byte(want), []byte(mac)) != 1 {
		return nil, errors.New("the MAC does not match")
	}
	if r.sealed == 0 {
		return nil, errors.New("nothing in it is sealed")
	}
	var v any
	if err := doc.Decode(&v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// dataKey opens one age entry with each identity; all must agree, and each
// entry must be some identity's.
func dataKey(meta *metadata, identities []*age.X25519Identity) ([]byte, error) {
	if len(meta.Age) != len(identities) {
		return nil, fmt.Errorf("%d age entries for %d recipients", len(meta.Age), len(identities))
	}
	var key []byte
	for _, id := range identities {
		var mine []byte
		for _, entry := range meta.Age {
			if entry.Recipient != id.Recipient().String() {
				continue
			}
			plain, err := age.Decrypt(armor.NewReader(strings.NewReader(entry.Enc)), id)
			if err != nil {
				return nil, fmt.Errorf("age entry of %s: %w", entry.Recipient, err)
			}
			if mine, err = io.ReadAll(plain); err != nil {
				return nil, err
			}
		}
		if len(mine) != 32 {
			return nil, fmt.Errorf("data key of %d bytes for %s", len(mine), id.Recipient())
		}
		if key != nil && !bytes.Equal(key, mine) {
			return nil, errors.New("recipients hold different data keys")
		}
		key = mine
	}
	return key, nil
}

type macHash struct{ b bytes.Buffer }

func (m *macHash) Write(p []byte) { m.b.Write(p) }
func (m *macHash) Sum() []byte    { s := sha512.Sum512(m.b.Bytes()); return s[:] }

type reader struct {
	key    []byte
	rule   *regexp.Regexp
	hash   macHash
	sealed int
	seen   map[string]string // IV to the message it sealed
}

// walk goes through the leaves in document order, opening the covered ones in
// place and feeding every one to the MAC.
func (r *reader) walk(n *yaml.Node, path []string, covered bool) error {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if err := r.walk(n.Content[i+1], append(path[:len(path):len(path)], name), covered || r.rule.MatchString(name)); err != nil {
				return err
			}
		}
		return nil
	case yaml.SequenceNode:
		for _, c := range n.Content {
			if err := r.walk(c, path, covered); err != nil {
				return err
			}
		}
		return nil
	case yaml.ScalarNode:
		return r.leaf(n, path, covered)
	}
	return fmt.Errorf("%s: aliases have no place in a sealed file", strings.Join(path, "."))
}

func (r *reader) leaf(n *yaml.Node, path []string, covered bool) error {
	where := strings.Join(path, ".")
	isSealed := strings.HasPrefix(n.Value, "ENC[")
	switch {
	case n.Tag == "!!null":
		return nil
	case covered && n.Value == "" && n.Tag == "!!str":
		return nil
	case covered && !isSealed:
		return fmt.Errorf("%s: covered by the rule, yet in the clear", where)
	case !covered && isSealed:
		return fmt.Errorf("%s: sealed, yet not covered by the rule", where)
	case covered:
		plain, kind, err := r.open(n.Value, strings.Join(path, ":")+":")
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		r.sealed++
		r.hash.Write([]byte(plain))
		return reveal(n, plain, kind, where)
	}
	text, err := clearBytes(n)
	if err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	r.hash.Write([]byte(text))
	return nil
}

// reveal puts what was sealed into its place.
func reveal(n *yaml.Node, plain, kind, where string) error {
	n.Value, n.Style = plain, 0
	switch {
	case kind == "str":
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	case kind == "bool" && (plain == "True" || plain == "False"):
		n.Tag, n.Value = "!!bool", strings.ToLower(plain)
	case kind == "int" && isDecimal.MatchString(plain):
		n.Tag = "!!int"
	default:
		return fmt.Errorf("%s: %q sealed as %s", where, plain, kind)
	}
	return nil
}

var isDecimal = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// clearBytes is what a clear scalar adds to the MAC.
func clearBytes(n *yaml.Node) (string, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case int:
		return strconv.Itoa(v), nil
	case bool:
		if v {
			return "True", nil
		}
		return "False", nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("a clear %T", v)
}

var value = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]*),iv:([^,]*),tag:([^,]*),type:([a-z]+)\]$`)

func (r *reader) open(text, aad string) (plain, kind string, err error) {
	m := value.FindStringSubmatch(text)
	if m == nil {
		return "", "", errors.New("not the form of a sealed value")
	}
	var parts [3][]byte
	for i := range parts {
		b, err := base64.StdEncoding.Strict().DecodeString(m[i+1])
		if err != nil {
			return "", "", err
		}
		parts[i] = b
	}
	data, iv, tag := parts[0], parts[1], parts[2]
	if len(iv) != 32 || len(tag) != 16 {
		return "", "", fmt.Errorf("IV of %d and tag of %d bytes", len(iv), len(tag))
	}
	if other, used := r.seen[string(iv)]; used && other != aad+"\x00"+string(data) {
		return "", "", errors.New("one IV for two messages")
	}
	r.seen[string(iv)] = aad + "\x00" + string(data)
	block, err := aes.NewCipher(r.key)
	if err != nil {
		return "", "", err
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, len(iv))
	if err != nil {
		return "", "", err
	}
	opened, err := gcm.Open(nil, iv, append(data[:len(data):len(data)], tag...), []byte(aad))
	return string(opened), m[4], err
}
