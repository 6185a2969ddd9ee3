package git

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile puts a file with a content in the place of whatever file is at
// path, so that a reader sees the old content or the new one. It makes the folder
// where it is missing. The file is its user's alone, of mode 0600; it is not
// flushed to the disk. After an error the old file is still there.
//
// A process that is killed meanwhile can leave a file beside it, which has the
// name of path with a dot and digits after it.
func ReplaceFile(path string, content []byte) error {
	f, err := createBeside(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			f, err = createBeside(path)
		}
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// ReplaceJSON is [ReplaceFile] with a value as one line of JSON.
func ReplaceJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return ReplaceFile(path, append(text, '\n'))
}

// ReadJSON reads what [ReplaceJSON] has written. After an error value is the zero value.
func ReadJSON[T any](path string) (value T, err error) {
	text, err := ReadSmall(path)
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		value = *new(T)
	}
	return value, err
}

// createBeside creates an empty file in the folder of path.
func createBeside(path string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
}
