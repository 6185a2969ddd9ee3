package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxLine bounds one message of a client, in bytes. A move is smaller.
const maxLine = 4 << 20

// A screen passes on a client's messages, a line each. It answers a line that
// is no message with JSON-RPC's error; the client's other calls continue.
type screen struct {
	in   *bufio.Reader
	out  io.Writer
	rest []byte
}

// Read reads the next part of a message.
func (s *screen) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		line, err := s.line()
		if len(line) == 0 && err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if answer := lineError(line); answer != nil {
			if _, err := s.out.Write(answer); err != nil {
				return 0, err
			}
			continue
		}
		s.rest = append(bytes.TrimRight(line, "\r\n"), '\n')
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// line reads the next line. It keeps only enough of a long line to recognise
// that it is too long.
func (s *screen) line() ([]byte, error) {
	var line []byte
	for {
		part, err := s.in.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// lineError returns the error response to a line that is no message, nil for
// a message.
func lineError(line []byte) []byte {
	code, message := int64(0), ""
	switch _, err := jsonrpc.DecodeMessage(line); {
	case len(line) > maxLine:
		code, message = jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message has %d bytes at the most", maxLine)
	case !json.Valid(line):
		code, message = jsonrpc.CodeParseError, "the line is not JSON"
	case line[0] == '[':
		code, message = jsonrpc.CodeInvalidRequest, "one message a line, no batches"
	case err != nil:
		code, message = jsonrpc.CodeInvalidRequest, err.Error()
	default:
		return nil
	}
	answer := struct {
		Version string `json:"jsonrpc"`
		ID      any    `json:"id"`
		Error   any    `json:"error"`
	}{"2.0", idOf(line), struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}{code, message}}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil
	}
	return append(text, '\n')
}

// idOf returns the id of a request, nil if it cannot be read.
func idOf(line []byte) any {
	var m struct{ ID any }
	if json.Unmarshal(line, &m) != nil {
		return nil
	}
	switch m.ID.(type) {
	case string, float64:
		return m.ID
	}
	return nil
}

// A shared writer lets several goroutines write whole lines. It does not
// close the writer below it.
type shared struct {
	mu  sync.Mutex
	out io.Writer
}

// Write writes p without interleaving other writes.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

// Close does nothing, so that other goroutines can still write to standard
// output.
func (s *shared) Close() error { return nil }
