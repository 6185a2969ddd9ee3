# A checkpoint waits for a decision, and an earlier decision still holds tasks back.
add 'Say how to install it'
add 'Say how to remove it'
git liza checkpoint --reason 'a third of it is there'
git liza checkpoint decide REPLAN --message 'smaller steps'
git liza checkpoint --reason 'half of it is there'
