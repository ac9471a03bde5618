package fleet

import (
	"encoding/base64"
	"encoding/binary"
	"strconv"
)

// SSHKey is a TEST-ONLY public key that machine-controller's webhook takes, another one for each number.
func SSHKey(number int) string {
	var wire []byte
	add := func(part []byte) {
		wire = append(binary.BigEndian.AppendUint32(wire, uint32(len(part))), part...)
	}
	key := make([]byte, 32)
	copy(key, "TEST-ONLY "+strconv.Itoa(number))
	add([]byte("ssh-ed25519"))
	add(key)
	return "ssh-ed25519 " + base64.StdEncoding.EncodeToString(wire)
}
