package diagnosis

// runtimeCauses are those of a program that runs.
var runtimeCauses = []*Cause{
	{
		ID: "nil-dereference", Area: Language, Title: "A value is used that is not there: nil, null, None or undefined",
		Fix: "Find out where the value comes from, and handle the case that there is none.", Test: "git log -3 --stat",
		signs: []sign{
			says(strong, "nil pointer dereference"), says(strong, "assignment to entry in nil map"), matches(strong, "'nonetype' object", `(?:AttributeError|TypeError): .*'NoneType' object`), matches(strong, "nonetype", `TypeError: .*NoneType`),
			matches(strong, "of undefined", `TypeError: Cannot (?:read|set) propert(?:y|ies) .*of undefined`), matches(strong, "of null", `TypeError: Cannot (?:read|set) propert(?:y|ies) .*of null`),
			matches(strong, "undefined", `TypeError: (?:undefined|null) is not|TypeError: Cannot (?:destructure|convert) .*(?:undefined|null)`), matches(strong, "null", `TypeError: Cannot (?:destructure|convert) .*null`),
			says(strong, "nullpointerexception"), says(strong, "null pointer dereference"), matches(strong, "on a `none` value", "called `Option::(?:unwrap|expect)\\(\\)` on a `None` value"),
			matches(strong, "none", "called `Option::unwrap\\(\\)` on a `None` value"), matches(strong, "object is possibly", `error TS\d+: .*is possibly '(?:null|undefined)'`), says(strong, "load of null pointer"),
		},
	},
	{
		ID: "index-out-of-range", Area: Language, Title: "An index is beyond the end of a list",
		Fix: "Check the length before the access; look at why the list is shorter than expected.", Test: "git log -3 --stat",
		signs: []sign{
			says(strong, "index out of range"), says(strong, "slice bounds out of range"), matches(strong, "indexerror", `IndexError: `), says(strong, "index out of bounds"), says(strong, "indexoutofboundsexception"),
			matches(strong, "out of bounds", `Index -?\d+ out of bounds`), matches(strong, "range", `range (?:start|end) index \d+ out of range`), says(strong, "vector::_m_range_check"), says(strong, "heap-buffer-overflow"), says(strong, "stack-buffer-overflow"), says(strong, "std::out_of_range"),
		},
	},
	{
		ID: "key-missing", Area: Language, Title: "A map has no such key",
		Fix: "Look at which keys there are, and handle the missing one.", Test: "git grep -n -F {KEY}", After: []string{"env-variable-missing"},
		signs: []sign{
			matches(strong, "keyerror", `^\s*(?:E\s+)?KeyError: ['"]?([\w.-]+)`), matches(strong, "nosuchelementexception", `NoSuchElementException`), matches(plain, "no such key", `no such key`), matches(strong, "map key", `key not found in map|no entry found for key`), matches(strong, "no entry found for key", `no entry found for key`),
			matches(strong, "key not found", `\bkey not found: (\S+)`), says(strong, "map::at"),
		},
	},
	{
		ID: "bad-value", Area: Language, Title: "A value could not be converted, or was refused",
		Fix: "Look at the value that the message quotes and at where it comes from.", Test: "git grep -n -F {VALUE}", After: []string{"json-invalid", "encoding", "env-variable-missing"},
		signs: []sign{
			matches(strong, "valueerror", `^\s*(?:E\s+)?ValueError: `), says(strong, "numberformatexception"), says(strong, "illegalargumentexception"), says(strong, "datetimeparseexception"),
			matches(strong, "strconv.", `strconv\.\w+: parsing "([^"]*)"`), matches(strong, "parseinterror", `ParseIntError`), matches(strong, "parsefloaterror", `ParseFloatError`), matches(strong, "invalid digit found in string", `invalid digit found in string`), says(strong, "parseboolerror"), says(plain, "invalid float literal"),
			matches(strong, "parsing time", `parsing time "([^"]*)"`), matches(strong, "invalid syntax", `: invalid syntax$`), matches(against, "file \"", `File "`), matches(strong, "time: invalid duration", `time: invalid duration "([^"]*)`), matches(strong, "cannot convert", `SyntaxError: Cannot convert (\S+) to a BigInt`),
			matches(strong, "rangeerror", `RangeError: (?:Invalid|toFixed|.*must be)`), matches(strong, "err_out_of_range", `ERR_OUT_OF_RANGE`), matches(strong, "invalid argument", `std::invalid_argument`), matches(strong, "err_invalid_url", `ERR_INVALID_URL|TypeError: Invalid URL`), matches(strong, "invalid url", `TypeError.*: Invalid URL`),
			matches(strong, "zerodivisionerror", `ZeroDivisionError`), says(strong, "integer divide by zero"), says(strong, "arithmeticexception"), matches(strong, "decimal", `decimal\.InvalidOperation`), matches(plain, "invalid argument", `error: argument \S+: invalid .* value: '([^']*)'`), matches(strong, "invalid choice", `invalid choice: '([^']*)'`), matches(strong, "invalid value", `error: invalid value '([^']*)' for`), matches(strong, "invalid", `error: argument \S+: invalid \w+ value`),
		},
	},
	{
		ID: "stack-overflow", Area: Language, Title: "Calls are nested without end",
		Fix: "Find the function that calls itself, and the case in which it does not stop.", Test: "git log -3 --stat",
		signs: []sign{
			says(strong, "maximum call stack size exceeded"), says(strong, "recursionerror"), says(strong, "maximum recursion depth exceeded"), says(strong, "stackoverflowerror"), says(strong, "stack overflow"), says(strong, "stack-overflow"),
			says(strong, "has overflowed its stack"), says(strong, "goroutine stack exceeds"),
		},
	},
	{
		ID: "segfault", Area: Language, Title: "A program used memory that is not its own",
		Fix: "Build with -g -fsanitize=address and run it again: the report names the line.", Test: "git log -3 --stat", After: []string{"nil-dereference", "stack-overflow", "index-out-of-range"},
		signs: []sign{
			matches(strong, "segmentation fault", `segmentation fault`), matches(against, "nil pointer", `nil pointer`), says(plain, "sigsegv"), says(strong, "signal: 11"), matches(strong, "(signal: 11", `SIGSEGV`), says(strong, "bus error"), says(strong, "addresssanitizer: segv"), says(strong, "heap-use-after-free"), says(strong, "double free"), says(plain, "core dumped"), says(strong, "munmap_chunk(): invalid pointer"), says(strong, "free(): invalid pointer"),
			matches(strong, "error 139", `Error 139\b`), matches(strong, "exit", `exit(?:ed with)? (?:code|status) 139\b`),
		},
	},
	{
		ID: "out-of-memory", Area: Environment, Title: "The memory is used up",
		Fix: "Run less at once, or give the program more memory; look for what grows without end.", Test: "free -m",
		signs: []sign{
			says(strong, "javascript heap out of memory"), says(strong, "outofmemoryerror"), matches(strong, "memoryerror", `^\s*(?:E\s+)?(?:numpy\.\S+)?MemoryError`), says(strong, "cannot allocate memory"), says(strong, "out of memory"), says(strong, "oom-kill"), says(strong, "oomkilled"), says(strong, "std::bad_alloc"), says(strong, "enomem"), says(strong, "virtual memory exhausted"),
			matches(plain, "killed", `^(?:.*: (?:line \d+: +)?\d+ )?Killed(?:\s|$)`), matches(plain, "signal: killed", `signal: killed`), matches(strong, "error 137", `Error 137\b`), matches(strong, "137", `exit(?:ed with)? (?:code|status):? 137\b`), matches(strong, "memory allocation of", `memory allocation of \d+ bytes failed`), matches(strong, "signal 9", `signal: 9, SIGKILL`), matches(plain, "killed signal terminated program", `Killed signal terminated program`),
		},
	},
}
