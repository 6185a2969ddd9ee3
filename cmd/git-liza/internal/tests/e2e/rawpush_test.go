package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// rawPush is a client that lies: rawpush [OLD NEW REF]... sends the commands as
// they are typed, whatever the server said its refs are, and never as atomic.
// 0 is no commit. What the server says comes out as git push prints it.
func rawPush() int {
	if err := rawPushed(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func rawPushed(args []string) error {
	var request, wanted bytes.Buffer
	for i := 0; i+2 < len(args); i += 3 {
		before, after := object(args[i]), object(args[i+1])
		line := fmt.Sprintf("%s %s %s", before, after, args[i+2])
		if i == 0 {
			line += "\x00 report-status side-band-64k quiet"
		}
		fmt.Fprintf(&request, "%04x%s", len(line)+4, line)
		if after != nothing {
			fmt.Fprintln(&wanted, after)
		}
	}
	request.WriteString("0000")
	pack := exec.Command("git", "pack-objects", "--revs", "--stdout", "-q")
	pack.Stdin = &wanted
	data, err := pack.Output()
	if err != nil {
		return err
	}
	if wanted.Len() > 0 || len(data) > 0 {
		request.Write(data)
	}
	answer, err := send(configured("remote.origin.url"), request.Bytes())
	if err != nil {
		return err
	}
	return heard(answer)
}

const nothing = "0000000000000000000000000000000000000000"

func object(rev string) string {
	if rev == "0" {
		return nothing
	}
	out, err := exec.Command("git", "rev-parse", "--verify", rev).Output()
	if err != nil {
		return rev
	}
	return strings.TrimSpace(string(out))
}

func configured(name string) string {
	out, _ := exec.Command("git", "config", name).Output()
	return strings.TrimSpace(string(out))
}

// send gives the request to receive-pack and returns what it answers.
func send(url string, request []byte) ([]byte, error) {
	if strings.HasPrefix(url, "http") {
		r, err := http.Post(url+"/git-receive-pack", "application/x-git-receive-pack-request", bytes.NewReader(request))
		if err != nil {
			return nil, err
		}
		defer r.Body.Close()
		return io.ReadAll(r.Body)
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(url, "ssh://"), "/")
	name, port, _ := strings.Cut(host, ":")
	ssh := exec.Command("sh", "-c", fmt.Sprintf("%s -p %s %s \"git-receive-pack '/%s'\"", configured("core.sshCommand"), port, name, path))
	ssh.Stdin = bytes.NewReader(request)
	out, err := ssh.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	for len(out) >= 4 { // the refs, and the flush after them
		n, err := strconv.ParseInt(string(out[:4]), 16, 32)
		if err != nil || int(n) > len(out) {
			break
		}
		out = out[max(n, 4):]
		if n == 0 {
			break
		}
	}
	return out, nil
}

// heard prints what the server says and returns an error unless all went well.
func heard(answer []byte) error {
	var report, said strings.Builder
	for len(answer) >= 4 {
		n, err := strconv.ParseInt(string(answer[:4]), 16, 32)
		if err != nil || int(n) > len(answer) {
			return fmt.Errorf("the server answers %q", answer)
		}
		if n < 5 {
			answer = answer[4:]
			continue
		}
		switch answer[4] {
		case 1:
			report.Write(answer[5:n])
		default:
			said.Write(answer[5:n])
		}
		answer = answer[n:]
	}
	for line := range strings.Lines(said.String()) {
		fmt.Fprint(os.Stderr, "remote: ", line)
	}
	text := report.String()
	fmt.Fprintf(os.Stderr, "%q\n", text)
	if !strings.Contains(text, "unpack ok") || strings.Contains(text, "ng ") {
		return errors.New("the server refused")
	}
	return nil
}
