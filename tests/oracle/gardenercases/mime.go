package gardenercases

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"slices"
	"strings"
)

// OpenMIME reads a message strictly, and returns the hypervisor's settings, sorted, and the script.
func OpenMIME(text []byte) ([]string, []byte, error) {
	message, err := mail.ReadMessage(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" || message.Header.Get("MIME-Version") != "1.0" {
		return nil, nil, fmt.Errorf("a message of type %q: %v", kind, err)
	}
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	var bodies [][]byte
	for _, want := range []string{"text/x-vsmp; section=vsmp", "text/x-shellscript"} {
		part, err := parts.NextRawPart()
		if err != nil {
			return nil, nil, err
		}
		if got := part.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
			return nil, nil, fmt.Errorf("a part of type %q, want %q", got, want)
		}
		body, err := io.ReadAll(part)
		if err != nil {
			return nil, nil, err
		}
		switch encoding := part.Header.Get("Content-Transfer-Encoding"); encoding {
		case "":
			if at := bytes.IndexFunc(body, func(r rune) bool { return r > 0x7f }); at >= 0 {
				return nil, nil, fmt.Errorf("a byte that is no ASCII in a part without an encoding, at %d", at)
			}
		case "quoted-printable":
			if body, err = unquote(body); err != nil {
				return nil, nil, err
			}
		default:
			return nil, nil, fmt.Errorf("a part in %s, in which no placeholder is found", encoding)
		}
		bodies = append(bodies, body)
	}
	if _, err := parts.NextRawPart(); err != io.EOF {
		return nil, nil, fmt.Errorf("behind the last part: %v", err)
	}
	if !bytes.HasSuffix(text, []byte("\n--"+parameters["boundary"]+"--\n")) {
		return nil, nil, fmt.Errorf("the last part does not end")
	}
	return settings(string(bodies[0])), bodies[1], nil
}

// unquote decodes quoted-printable text with lines of any length, which Go's own reader does not take.
func unquote(text []byte) ([]byte, error) {
	var out []byte
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '=':
			out = append(out, text[i])
		case i+1 < len(text) && text[i+1] == '\n':
			i++
		default:
			if i+2 >= len(text) {
				return nil, fmt.Errorf("quoted-printable text ends in an escape")
			}
			b, err := hex.DecodeString(string(text[i+1 : i+3]))
			if err != nil {
				return nil, err
			}
			out = append(out, b[0])
			i += 2
		}
	}
	return out, nil
}

// CutMIME takes Gardener's apart, which has a header that no parser takes.
func CutMIME(text []byte) ([]string, []byte) {
	const middle = "--==BOUNDARY==\nContent-Type: text/x-shellscript\n\n"
	_, rest, _ := strings.Cut(string(text), "section=vsmp\n\n")
	first, rest, _ := strings.Cut(rest, middle)
	body, _, _ := strings.Cut(rest, "\n--==BOUNDARY==--")
	return settings(first), []byte(body)
}

func settings(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}
