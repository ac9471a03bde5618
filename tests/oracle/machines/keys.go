package machines

import (
	"crypto"
	"crypto/dsa" //nolint:staticcheck // machine-controller takes such keys
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"math/rand"
	"strings"

	"golang.org/x/crypto/ssh"
)

// stream is randomness that a seed decides.
type stream struct{ *rand.Rand }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// A number's prime is not asked for: the library does not look.
func dsaKey(random *rand.Rand) *dsa.PublicKey {
	number := func(bits int) *big.Int {
		n := new(big.Int).Rand(random, new(big.Int).Lsh(big.NewInt(1), uint(bits)))
		return n.SetBit(n, bits-1, 1)
	}
	key := &dsa.PublicKey{Parameters: dsa.Parameters{P: number(1024), Q: number(160), G: number(1000)}, Y: number(1000)}
	return key
}

// Keys are TEST-ONLY lines of authorized_keys, of every type and with a certificate of each.
func Keys(random *rand.Rand) []string {
	from := stream{random}
	var publics []ssh.PublicKey
	add := func(key crypto.PublicKey) { publics = append(publics, must(ssh.NewPublicKey(key))) }
	number := new(big.Int).SetBit(new(big.Int).Rand(random, new(big.Int).Lsh(big.NewInt(1), 2048)), 2047, 1)
	add(&rsa.PublicKey{N: number, E: 65537})
	add(dsaKey(random))
	for _, curve := range []elliptic.Curve{elliptic.P256(), elliptic.P384(), elliptic.P521()} {
		scalar := make([]byte, 16)
		from.Read(scalar)
		x, y := curve.ScalarBaseMult(scalar) //nolint:staticcheck
		add(&ecdsa.PublicKey{Curve: curve, X: x, Y: y})
	}
	seed := make([]byte, ed25519.SeedSize)
	from.Read(seed)
	private := ed25519.NewKeyFromSeed(seed)
	add(private.Public())
	// The same keys in hardware: another type, and a string behind.
	point := publics[2].(ssh.CryptoPublicKey).CryptoPublicKey().(*ecdsa.PublicKey)
	for _, wire := range [][]byte{
		ssh.Marshal(struct{ Type, Curve, Point, Application string }{"sk-ecdsa-sha2-nistp256@openssh.com", "nistp256",
			string(elliptic.Marshal(point.Curve, point.X, point.Y)), "ssh:"}), //nolint:staticcheck
		ssh.Marshal(struct{ Type, Key, Application string }{"sk-ssh-ed25519@openssh.com",
			string(private.Public().(ed25519.PublicKey)), "ssh:"}),
	} {
		publics = append(publics, must(ssh.ParsePublicKey(wire)))
	}
	signer := must(ssh.NewSignerFromKey(private))
	var lines []string
	for _, key := range publics {
		lines = append(lines, string(ssh.MarshalAuthorizedKey(key)))
		certificate := &ssh.Certificate{Key: key, Serial: 7, CertType: ssh.UserCert, KeyId: "TEST-ONLY",
			ValidPrincipals: []string{"root", "admin"}, ValidBefore: ssh.CertTimeInfinity,
			Permissions: ssh.Permissions{Extensions: map[string]string{"permit-pty": "", "permit-user-rc": ""},
				CriticalOptions: map[string]string{"force-command": "/bin/true"}}}
		if err := certificate.SignCert(from, signer); err != nil {
			panic(err)
		}
		lines = append(lines, string(ssh.MarshalAuthorizedKey(certificate)))
	}
	return lines
}

var around = []func(random *rand.Rand, line string) string{
	func(_ *rand.Rand, line string) string { return line },
	func(_ *rand.Rand, line string) string { return strings.TrimSpace(line) + " somebody@example.com\n" },
	func(_ *rand.Rand, line string) string { return `command="echo \"a, b\"",no-pty ` + line },
	func(_ *rand.Rand, line string) string { return `from="10.0.0.0/8 ` + line },
	func(_ *rand.Rand, line string) string { return "# a comment\r\n\r\n  \t" + line },
	func(_ *rand.Rand, line string) string { return "no key here\n" + line },
	func(_ *rand.Rand, line string) string { _, rest, _ := strings.Cut(line, " "); return rest },
	func(_ *rand.Rand, line string) string {
		_, rest, _ := strings.Cut(line, " ")
		return "anything " + rest
	},
	func(_ *rand.Rand, line string) string { return strings.ReplaceAll(line, " ", "\u00a0") },
	func(_ *rand.Rand, line string) string { return "\u2003" + line + "\u0085" },
	func(_ *rand.Rand, line string) string { return strings.ReplaceAll(line, "=", "") },
	func(random *rand.Rand, line string) string { return line[:random.Intn(len(line))] },
	func(random *rand.Rand, line string) string { return "~/.ssh/id_ed25519.pub" },
	func(random *rand.Rand, line string) string { return "<< YOUR_PUBLIC_KEY >>" },
	damaged, damaged, damaged, damaged,
}

// A byte of the key itself is another one, or is missing, or there is one more.
func damaged(random *rand.Rand, line string) string {
	kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	wire, err := base64.StdEncoding.DecodeString(rest)
	if err != nil {
		panic(err)
	}
	// Lengths and names are in front, as are the fields of a certificate behind.
	at := random.Intn(len(wire))
	if random.Intn(2) == 0 {
		at = random.Intn(min(len(wire), 48))
	}
	switch random.Intn(4) {
	case 0:
		wire = append(wire[:at], wire[at+1:]...)
	case 1:
		wire = append(wire, byte(random.Intn(256)))
	case 2:
		wire[at] ^= 1 << random.Intn(8)
	default:
		wire[at] = byte([]int{0, 0x7f, 0x80, 0xff}[random.Intn(4)])
	}
	return kind + " " + base64.StdEncoding.EncodeToString(wire)
}
