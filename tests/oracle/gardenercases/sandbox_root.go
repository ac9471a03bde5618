package gardenercases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"
)

// What scripts use of the machine that the tests run on.
var tools = []string{"bash", "sh", "env", "mkdir", "cat", "base64", "chmod", "ln", "sed", "grep", "mktemp", "mv", "rm", "cp", "dirname",
	"basename", "touch", "head", "tail", "tr", "cut", "sort", "wc", "printf", "test", "[", "readlink", "true", "false", "id", "stat",
	"install", "tee", "od", "cmp", "ls", "find", "uname", "date"}

// What scripts call to change the machine.
var stubs = []string{"systemctl", "apt-get", "zypper", "modprobe", "nslookup", "ip", "wicked", "containerd", "sleep", "docker", "cloud-init",
	"systemd-tmpfiles", "sysctl", "udevadm", "reboot", "hostname", "rpm"}

const stubText = `#!/bin/sh
name=${0##*/}
case $name in
hostname) echo node; exit ;;
rpm) echo 234; exit ;;
sleep) exit ;;
esac
{ printf '%s\037' "$name" "$@"; printf '\036'; } >>/.state/calls
if [ -e "/.state/fail-$name" ]; then exit 1; fi
case "$name $1" in
"containerd config") echo '# of containerd' ;;
"systemctl show") if [ -e /.state/conflicts ]; then echo Conflicts=shutdown.target docker.service; fi ;;
esac
`

// machine is the folder that scripts take for /.
type machine struct {
	dir      string
	baseline map[string]string
}

// serve is what the sandbox's process does: prepare the root, then apply what is asked for.
func serve() error {
	r, err := newRoot()
	if err != nil {
		return err
	}
	from, to := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var script Script
		if err := from.Decode(&script); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var answer struct {
			Effects []Effect
			Error   string
		}
		answer.Effects, err = r.apply(&script)
		if err != nil {
			answer.Error = err.Error()
		}
		if err := to.Encode(answer); err != nil {
			return err
		}
	}
}

func newRoot() (*machine, error) {
	syscall.Umask(0)
	if err := syscall.Mount("", "/", "", syscall.MS_PRIVATE|syscall.MS_REC, ""); err != nil {
		return nil, fmt.Errorf("mounts of its own: %w", err)
	}
	r := &machine{dir: os.TempDir()}
	if err := syscall.Mount("tmpfs", r.dir, "tmpfs", 0, "mode=0755"); err != nil {
		return nil, fmt.Errorf("a root in memory: %w", err)
	}
	for _, name := range []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/lib", "/etc/systemd/system", "/var/lib", "/tmp", "/run", "/opt",
		"/dev", "/.host", "/.stubs", "/.state", "/lib", "/lib64"} {
		if err := os.MkdirAll(r.dir+name, 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(r.dir+"/tmp", 0o1777); err != nil {
		return nil, err
	}
	null, err := os.Create(r.dir + "/dev/null")
	if err != nil {
		return nil, err
	}
	null.Close()
	for from, to := range map[string]string{"/usr/bin": "/.host", "/lib": "/lib", "/lib64": "/lib64", "/dev/null": "/dev/null"} {
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := syscall.Mount(from, r.dir+to, "", syscall.MS_BIND, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
	}
	for _, tool := range tools {
		if _, err := os.Stat("/usr/bin/" + tool); err != nil {
			return nil, fmt.Errorf("a tool of scripts: %w", err)
		}
		for _, dir := range []string{"/bin/", "/usr/bin/"} {
			if err := os.Symlink("/.host/"+tool, r.dir+dir+tool); err != nil {
				return nil, err
			}
		}
	}
	for _, stub := range stubs {
		if err := os.WriteFile(r.dir+"/.stubs/"+stub, []byte(stubText), 0o755); err != nil {
			return nil, err
		}
	}
	r.baseline = map[string]string{}
	err = r.walk(func(path string, info fs.FileInfo) error {
		r.baseline[path] = r.describe(path, info)
		return nil
	})
	return r, err
}

// walk visits what a script may change, folders before what is in them.
func (r *machine) walk(visit func(path string, info fs.FileInfo) error) error {
	hidden := map[string]bool{"/.host": true, "/.stubs": true, "/.state": true, "/lib": true, "/lib64": true, "/dev": true}
	return filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(path, r.dir)
		if hidden[below] {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || below == "" {
			return err
		}
		return visit(below, info)
	})
}

func (r *machine) describe(path string, info fs.FileInfo) string {
	link, _ := os.Readlink(r.dir + path)
	return fmt.Sprintf("%v %s", info.Mode(), link)
}

func (r *machine) apply(script *Script) ([]Effect, error) {
	defer r.clean()
	for path, node := range script.Before {
		if err := os.MkdirAll(filepath.Dir(r.dir+path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(r.dir+path, node.Data, fs.FileMode(node.Mode)); err != nil {
			return nil, err
		}
	}
	for _, name := range script.Failing {
		if err := os.WriteFile(r.dir+"/.state/fail-"+name, nil, 0o644); err != nil {
			return nil, err
		}
	}
	if script.Conflicts {
		if err := os.WriteFile(r.dir+"/.state/conflicts", nil, 0o644); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(r.dir+"/.state/script", script.Text, 0o755); err != nil {
		return nil, err
	}
	var out []Effect
	for range script.Times {
		effect, err := r.run()
		if err != nil {
			return nil, err
		}
		out = append(out, effect)
	}
	return out, nil
}

func (r *machine) run() (Effect, error) {
	effect := Effect{Nodes: map[string]Node{}}
	os.Remove(r.dir + "/.state/calls")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "/.state/script")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: r.dir, Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Env = []string{"PATH=/.stubs:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=/root"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// The umask of a boot.
	syscall.Umask(0o022)
	err := cmd.Run()
	syscall.Umask(0)
	effect.Stderr = stderr.String()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		effect.Exit = failed.ExitCode()
	} else if err != nil {
		return effect, err
	}
	calls, _ := os.ReadFile(r.dir + "/.state/calls")
	for call := range strings.SplitSeq(strings.TrimSuffix(string(calls), "\036"), "\036") {
		if call != "" {
			effect.Calls = append(effect.Calls, strings.Split(strings.TrimSuffix(call, "\037"), "\037"))
		}
	}
	return effect, r.walk(func(path string, info fs.FileInfo) error {
		if r.baseline[path] == r.describe(path, info) {
			return nil
		}
		mode := uint32(info.Mode().Perm())
		for bit, is := range map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
			if info.Mode()&is != 0 {
				mode |= bit
			}
		}
		node := Node{Kind: "folder", Mode: mode}
		var err error
		switch {
		case info.Mode().IsRegular():
			node.Kind = "file"
			if stat, ok := info.Sys().(*syscall.Stat_t); ok {
				node.Order = stat.Ino
			}
			node.Data, err = os.ReadFile(r.dir + path)
		case info.Mode()&fs.ModeSymlink != 0:
			node = Node{Kind: "link"}
			node.Link, err = os.Readlink(r.dir + path)
		case !info.IsDir():
			node.Kind = info.Mode().String()
		}
		effect.Nodes[path] = node
		return err
	})
}

// clean takes away everything that was not there at the start.
func (r *machine) clean() {
	var paths []string
	_ = r.walk(func(path string, _ fs.FileInfo) error {
		if _, kept := r.baseline[path]; !kept {
			paths = append(paths, path)
		}
		return nil
	})
	sort.Sort(sort.Reverse(sort.StringSlice(paths)))
	for _, path := range paths {
		_ = os.Remove(r.dir + path)
	}
	state, _ := os.ReadDir(r.dir + "/.state")
	for _, entry := range state {
		_ = os.Remove(r.dir + "/.state/" + entry.Name())
	}
}
