package flow

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestDescribedIsEveryTaskOfAMove(t *testing.T) {
	t.Parallel()
	input, list := reflect.TypeFor[board.TaskInput](), reflect.TypeFor[inputs]()
	describing := 0
	for _, act := range board.Acts() {
		d := NewDetail(act)
		if reflect.TypeOf(d).Kind() != reflect.Pointer {
			continue
		}
		fields, want := reflect.ValueOf(d).Elem(), 0
		for i := range fields.NumField() {
			switch fields.Type().Field(i).Type {
			case input:
				want++
			case list:
				want++
				fields.Field(i).Set(reflect.ValueOf(inputs{{}}))
			}
		}
		require.Len(t, Described(d), want, "%s", act)
		describing += min(want, 1)
	}
	require.Equal(t, 6, describing)
}
