package gardenercases

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

const sandboxVariable = "OSM_GEN_TEST_SANDBOX"

// Script is one to apply, on a machine that is empty but for what Before puts there.
type Script struct {
	Text      []byte
	Times     int             // one after another on the same machine
	Before    map[string]Node // files that are there already
	Failing   []string        // stubs that end with 1
	Conflicts bool            // systemctl show names a conflict with docker
}

// Sandbox is a process of its own, without a network, in a root folder of its own in memory, that
// applies scripts one after another. What would change a machine is a stub that notes its arguments.
type Sandbox struct {
	process *exec.Cmd
	in      io.WriteCloser
	to      *json.Encoder
	from    *json.Decoder
	lock    sync.Mutex
}

// Main is the first call of TestMain: a sandbox is the test program, started once more.
func Main() {
	if os.Getenv(sandboxVariable) != "" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, "sandbox:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// NewSandbox starts one.
func NewSandbox() (*Sandbox, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &Sandbox{process: exec.Command(self)}
	flags := uintptr(syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID)
	attributes := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		flags |= syscall.CLONE_NEWUSER
		attributes.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		attributes.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	attributes.Cloneflags = flags
	s.process.SysProcAttr = attributes
	s.process.Env = append(os.Environ(), sandboxVariable+"=1")
	s.process.Stderr = os.Stderr
	if s.in, err = s.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("no sandbox can be had here: %w", err)
	}
	s.to, s.from = json.NewEncoder(s.in), json.NewDecoder(out)
	return s, nil
}

// Close ends the sandbox.
func (s *Sandbox) Close() error {
	s.in.Close()
	return s.process.Wait()
}

// Apply runs a script and returns an effect for each time.
func (s *Sandbox) Apply(script Script) ([]Effect, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	script.Times = max(script.Times, 1)
	if err := s.to.Encode(script); err != nil {
		return nil, err
	}
	var answer struct {
		Effects []Effect
		Error   string
	}
	if err := s.from.Decode(&answer); err != nil {
		return nil, fmt.Errorf("the sandbox: %w", err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("the sandbox: %s", answer.Error)
	}
	return answer.Effects, nil
}
