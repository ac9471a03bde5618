package sopsfile

import (
	"crypto/sha256"
	"strings"

	"filippo.io/age"
)

// Seed is a sealing seed in its text form, made from a label.
func Seed(label string) string {
	sum := sha256.Sum256([]byte("seed: " + label))
	return bech32("osmgen-seed-", sum[:])
}

// Identity is an age identity made from a label, for tests alone.
func Identity(label string) *age.X25519Identity {
	sum := sha256.Sum256([]byte("identity: " + label))
	id, err := age.ParseX25519Identity(bech32("age-secret-key-", sum[:]))
	if err != nil {
		panic(err)
	}
	return id
}

// bech32 encodes as BIP 173 says, in upper case.
func bech32(hrp string, data []byte) string {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	var five []byte
	acc, bits := 0, 0
	for _, b := range data {
		acc, bits = acc<<8|int(b), bits+8
		for bits >= 5 {
			bits -= 5
			five = append(five, byte(acc>>bits&31))
		}
	}
	if bits > 0 {
		five = append(five, byte(acc<<(5-bits)&31))
	}
	var check []byte
	for _, c := range []byte(hrp) {
		check = append(check, c>>5)
	}
	check = append(check, 0)
	for _, c := range []byte(hrp) {
		check = append(check, c&31)
	}
	check = append(append(check, five...), 0, 0, 0, 0, 0, 0)
	sum := polymod(check) ^ 1
	var out strings.Builder
	out.WriteString(hrp + "1")
	for _, v := range five {
		out.WriteByte(alphabet[v])
	}
	for i := range 6 {
		out.WriteByte(alphabet[sum>>(5*(5-i))&31])
	}
	return strings.ToUpper(out.String())
}

func polymod(values []byte) uint32 {
	generator := [5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3}
	sum := uint32(1)
	for _, v := range values {
		top := sum >> 25
		sum = (sum&0x1ffffff)<<5 ^ uint32(v)
		for i, g := range generator {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	return sum
}
