# A submission waits for a role that is not a person's, and that nothing here can take.
mkdir -p .liza/roles
cat >.liza/roles/license-checker.md <<'ROLE'
---
tools: [read]
capacity: judges
not_human: true
---
You judge whether the licenses of what is used go together.
ROLE
git liza role add .liza/roles/license-checker.md
git config liza.license-checker.provider license-bot
git liza role require license-checker --in-place-of code-reviewer
add 'Say what is used'
submit task-1 coder-1
