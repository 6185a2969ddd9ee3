package git

// StateRef is the ref that the blackboard lives on.
const StateRef = "refs/liza/state"

// RemoteRefs is where this clone keeps what it saw of remotes: below it a folder
// for each.
const RemoteRefs = "refs/liza/remote/"

// RescueRefs is where what a repair puts aside is kept.
const RescueRefs = "refs/liza/rescue/"
