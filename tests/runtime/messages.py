#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each message with which the runtime refuses a call stands in a test, or has a reason here not to.

usage: messages.py SOURCE   TAP on standard output."""
import pathlib
import re
import sys

# Words of a message: why no test comes to it.
UNREACHED = {
    "pto.tpush: no slot of pipe": "the size of an entry is checked before, so that memory is all that can be missing",
}
# Running out of memory is left to the operating system.
WITHOUT_TEST = "PTRT_E_NOMEM"
SOURCES = (".c", ".h", ".def", ".sh", ".py", ".pto", ".txt")


def calls(text):
    """Line and arguments of each call of ptrt_fail."""
    for start in re.finditer(r"\bptrt_fail\(", text):
        at, depth, quoted = start.end(), 1, False
        while depth > 0:
            c = text[at]
            if quoted and c == "\\":
                at += 1
            elif c == '"':
                quoted = not quoted
            elif not quoted and c in "()":
                depth += 1 if c == "(" else -1
            at += 1
        yield text.count("\n", 0, start.start()) + 1, text[start.end() : at - 1]


def words(arguments):
    """The longest part of the format between its conversions; None without a format."""
    if '"' not in arguments:
        return None
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', arguments[arguments.index('"') :].split('",')[0] + '"'))
    parts = re.split(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]", text)
    return max(parts, key=len).strip(" :,")


def main():
    root = pathlib.Path(sys.argv[1])
    tests = "\n".join(
        p.read_text(errors="replace")
        for p in sorted((root / "tests").rglob("*"))
        if p.suffix in SOURCES and p.name != "messages.py" and p.is_file()
    )
    tests = re.sub(r'"\s*\n\s*"', "", tests)
    messages, missing, used = 0, [], set()
    for path in sorted((root / "runtime").rglob("*.c")):
        for line, arguments in calls(path.read_text()):
            part = words(arguments)
            if part is None or WITHOUT_TEST in arguments:
                continue
            messages += 1
            if part in UNREACHED:
                used.add(part)
            elif part not in tests:
                missing.append(f"{path.relative_to(root)}:{line}: no test has '{part}'")
    stale = [f"no message has '{part}'" for part in UNREACHED if part not in used]
    print("1..1")
    for line in missing + stale:
        print(f"# {line}")
    print(f"# {messages} messages")
    good = messages > 100 and not missing and not stale
    print(f"{'ok' if good else 'not ok'} 1 - messages of the runtime")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
