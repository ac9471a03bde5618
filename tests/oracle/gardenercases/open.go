package gardenercases

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
	"gopkg.in/yaml.v3"
)

// Secret is a Secret of the output, opened.
type Secret struct {
	Metadata struct {
		Name            string              `yaml:"name"`
		Namespace       string              `yaml:"namespace"`
		Labels          map[string]string   `yaml:"labels"`
		Annotations     map[string]string   `yaml:"annotations"`
		OwnerReferences []map[string]string `yaml:"ownerReferences"`
	} `yaml:"metadata"`
	Type       string            `yaml:"type"`
	Data       map[string]string `yaml:"data"`
	StringData map[string]string `yaml:"stringData"`
	Sops       struct {
		Age []struct {
			Enc string `yaml:"enc"`
		} `yaml:"age"`
	} `yaml:"sops"`
	Values map[string][]byte `yaml:"-"` // data and stringData
}

var sealedValue = regexp.MustCompile(`^ENC\[AES256_GCM,data:([^,]*),iv:([^,]+),tag:([^,]+),type:str\]$`)

// OpenSecret decrypts a Secret that is sealed for an identity. What is not sealed is an error.
func OpenSecret(text []byte, identity *age.X25519Identity) (*Secret, error) {
	s := &Secret{Values: map[string][]byte{}}
	if err := yaml.Unmarshal(text, s); err != nil {
		return nil, err
	}
	if len(s.Sops.Age) != 1 {
		return nil, fmt.Errorf("%d age entries", len(s.Sops.Age))
	}
	plain, err := age.Decrypt(armor.NewReader(strings.NewReader(s.Sops.Age[0].Enc)), identity)
	if err != nil {
		return nil, err
	}
	key, err := io.ReadAll(plain)
	if err != nil {
		return nil, err
	}
	for name, sealed := range s.Data {
		text, err := openValue(key, sealed, "data:"+name+":")
		if err != nil {
			return nil, fmt.Errorf("data.%s: %w", name, err)
		}
		if s.Values[name], err = base64.StdEncoding.DecodeString(string(text)); err != nil {
			return nil, fmt.Errorf("data.%s: %w", name, err)
		}
	}
	for name, sealed := range s.StringData {
		if s.Values[name], err = openValue(key, sealed, "stringData:"+name+":"); err != nil {
			return nil, fmt.Errorf("stringData.%s: %w", name, err)
		}
	}
	return s, nil
}

func openValue(key []byte, sealed, path string) ([]byte, error) {
	parts := sealedValue.FindStringSubmatch(sealed)
	if parts == nil {
		return nil, errors.New("is not sealed")
	}
	var raw [3][]byte
	for i := range raw {
		var err error
		if raw[i], err = base64.StdEncoding.DecodeString(parts[i+1]); err != nil {
			return nil, err
		}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCMWithNonceSize(block, len(raw[1]))
	if err != nil {
		return nil, err
	}
	return gcm.Open(nil, raw[1], bytes.Join([][]byte{raw[0], raw[2]}, nil), []byte(path))
}
