package screen

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A display is what a terminal shows of what a program writes.
type display struct {
	t     *testing.T
	cells [][]rune
	x, y  int
	left  string // the screen as it was when the program left it
	looks []int  // what it asked for by SGR: 0 to 29 are no colours
}

func newDisplay(t *testing.T, width, height int) *display {
	d := &display{t: t, cells: make([][]rune, height)}
	for y := range d.cells {
		d.cells[y] = []rune(strings.Repeat(" ", width))
	}
	return d
}

// show shows what a program wrote.
func (d *display) show(written string) {
	p := ansi.NewParser()
	p.SetHandler(ansi.Handler{Print: d.print, Execute: d.execute, HandleCsi: d.control})
	p.Parse([]byte(written))
}

func (d *display) print(r rune) {
	require.Equal(d.t, 1, ansi.StringWidth(string(r)), "%q", r)
	if d.x == len(d.cells[0]) {
		d.x = 0
		d.execute('\n')
	}
	d.cells[d.y][d.x] = r
	d.x++
}

func (d *display) execute(b byte) {
	switch b {
	case '\r':
		d.x = 0
	case '\b':
		d.x = max(0, d.x-1)
	case '\n':
		require.Less(d.t, d.y, len(d.cells)-1, "the screen is scrolled")
		d.y++
	default:
		require.Fail(d.t, "control character", "%q", b)
	}
}

// control does what a control sequence says. One that is not known here fails the test.
func (d *display) control(c ansi.Cmd, params ansi.Params) {
	n := func(i, otherwise int) int {
		value, _, _ := params.Param(i, otherwise)
		return value
	}
	width, height := len(d.cells[0]), len(d.cells)
	switch {
	case c.Prefix() == '?' && c.Final() == 'l' && n(0, 0) == 1049:
		d.left = d.String()
	case c.Prefix() != 0 || c.Intermediate() != 0: // modes and questions
	case c.Final() == 'm':
		for i := range params {
			d.looks = append(d.looks, n(i, 0))
		}
	case c.Final() == 'H':
		d.x, d.y = min(n(1, 1), width)-1, min(n(0, 1), height)-1
	case c.Final() == 'A':
		d.y = max(0, d.y-n(0, 1))
	case c.Final() == 'B':
		d.y = min(height-1, d.y+n(0, 1))
	case c.Final() == 'C':
		d.x = min(width-1, d.x+n(0, 1))
	case c.Final() == 'D':
		d.x = max(0, d.x-n(0, 1))
	case c.Final() == 'K' && n(0, 0) == 0:
		d.blank(d.y, d.x)
	case c.Final() == 'J' && n(0, 0) != 1:
		if n(0, 0) == 0 {
			d.blank(d.y, d.x)
		}
		for y := range d.cells {
			if n(0, 0) == 2 || y > d.y {
				d.blank(y, 0)
			}
		}
	default:
		require.Fail(d.t, "control sequence", "%q %v", c.Final(), params)
	}
}

// blank empties the end of a line.
func (d *display) blank(y, from int) {
	for x := from; x < len(d.cells[y]); x++ {
		d.cells[y][x] = ' '
	}
}

func (d *display) String() string {
	var b strings.Builder
	for _, line := range d.cells {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}

// screenOf runs a command at a terminal of a size until it has shown a text, types q, and
// returns what was on the screen when the command left it. It fails if that had a colour.
func screenOf(t *testing.T, cmd *exec.Cmd, size [2]int, awaited string) string {
	t.Helper()
	terminal, err := gittest.OpenTerminal()
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Line().Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(size[0]), Row: uint16(size[1])}))
	terminal.Control(cmd)
	cmd.Stdout, cmd.Stderr = terminal.Line(), terminal.Line()
	require.NoError(t, cmd.Start())
	missed := terminal.Await(awaited)
	typed := terminal.Type("q")
	if missed != nil {
		_ = cmd.Process.Kill()
	}
	ended := cmd.Wait()
	written := terminal.Close()
	require.NoError(t, missed, "%q", written)
	require.NoError(t, typed)
	require.NoError(t, ended, "%q", written)
	d := newDisplay(t, size[0], size[1])
	d.show(written)
	for _, look := range d.looks {
		require.Less(t, look, 30, "a colour: %q", written)
	}
	return d.left
}
