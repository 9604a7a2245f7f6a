# SPDX-License-Identifier: Apache-2.0
# Test Anything Protocol for test scripts: `. tap.sh`, then `check NAME CONDITION-COMMAND...`, and
# `tap_end` last. Sets $work, a scratch folder that goes away.
#
# $ptoasm and $libptort, set before, become absolute: tests change folders.
[ -z "${ptoasm-}" ] || ptoasm=$(realpath "$ptoasm")
[ -z "${libptort-}" ] || libptort=$(realpath "$libptort")
count=0
failures=0
work=$(mktemp -d) || exit 2
trap 'chmod -R u+rwx "$work" 2>/dev/null; rm -rf "$work"' EXIT
export LC_ALL=C NO_COLOR=1
unset GITHUB_WORKSPACE
# A sanitizer's finding must not look like the exit code of a rejected program.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}exitcode=99:allocator_may_return_null=1"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}halt_on_error=1:exitcode=99"

# Runs a command; fine when it succeeds.
check() {
    name=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/.check" 2>&1; then
        echo "ok $count - $name"
    else
        failures=$((failures + 1))
        echo "not ok $count - $name"
        printf '%s\n' "$*" | sed 's/^/# /'
        sed 's/^/# /' "$work/.check"
    fi
}

skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# Runs a command and keeps $code, $work/stdout and $work/stderr.
run() {
    "$@" >"$work/stdout" 2>"$work/stderr" </dev/null
    code=$?
}

# exits CODE NAME COMMAND...: runs the command and compares its exit code.
exits() {
    want=$1
    name=$2
    shift 2
    run "$@"
    check "$name" same "exit code" "$code" "$want"
    [ "$code" = "$want" ] || sed 's/^/# /' "$work/stderr"
}

same() {
    [ "$2" = "$3" ] || {
        echo "$1: $2, $3 expected"
        return 1
    }
}

# The last command said this (a basic regular expression) on standard error.
said() {
    grep -q -e "$1" "$work/stderr" || {
        echo "nothing like '$1' in:"
        cat "$work/stderr"
        return 1
    }
}

silent() {
    [ ! -s "$work/stdout" ] && [ ! -s "$work/stderr" ] || {
        cat "$work/stdout" "$work/stderr"
        return 1
    }
}

tap_end() {
    echo "1..$count"
    [ "$failures" = 0 ]
}
