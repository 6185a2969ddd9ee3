# A task needs another one whose merged work was taken back.
add 'Describe the format'
add 'Show an example' --depends-on task-1
submit task-1 coder-1
git liza approve task-1 --commit "$(git rev-parse liza/task-1)"
git liza merge task-1
git liza undo task-1 --now --reason 'The format changes'
