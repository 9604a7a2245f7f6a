#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Man pages and completions name the options that the help names, and their tools accept them:
# manual.sh PTOASM FOLDER-OF-THE-PAGES
set -u
ptoasm=$1
pages=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
PATH=$(dirname "$ptoasm"):$PATH
samples=$(realpath "$here/../../samples/tadds")
cd "$work" || exit 2

# Without the tool the check is skipped.
with() { # TOOL NAME COMMAND...
    tool=$1
    shift
    if command -v "$tool" >/dev/null 2>&1; then
        check "$@"
    else
        skip "$1" "no $tool"
    fi
}

# The long options, one a line, and options that are a letter.
of_help() {
    "$ptoasm" "$1" --help | sed -n '/^Options:/,/^Examples:/p' | sed -n 's/^  *\(-[A-Za-z]\)\{0,1\},\{0,1\} *\(--[a-z_-]*\).*/\2/p; s/^  \(-[A-Za-z]\)[ [].*/\1/p' | sort -u
}
of_man() {
    sed -n 's/^\.It .*Fl \\-\([a-z_-]*\).*/--\1/p; s/^\.It Fl \([A-Za-z]\) \(Ar\|Ns\).*/-\1/p' "$pages/ptoasm-$1.1" | sort -u
}
of_bash() {
    sed -n "s/^    $1) flags='\(.*\)' ;;\$/\1/p" "$pages/ptoasm.bash" | tr ' ' '\n' | sed 's/=$//' | grep -e '^--' -e '^-[WjDo]$' | sort -u
}
of_zsh() {
    sed -n "/^    $1)\$/,/;;/p" "$pages/_ptoasm" | sed -n "s/^ *'\*\(--[a-z_-]*\).*/\1/p; s/^ *'\*\(-[Wjo]\)[-+].*/\1/p" | sort -u
}
of_fish() {
    grep "subcommand_from $1'" "$pages/ptoasm.fish" | sed -n 's/.* -l \([a-z_-]*\) .*/--\1/p; s/.* -s \([Wjo]\) -[^l].*/-\1/p' | sort -u
}

commands=$("$ptoasm" --help | sed -n '/^Commands:/,/^$/p' | sed -n 's/^  \([a-z]*\) .*/\1/p')
check 'the help lists commands' test "$(echo "$commands" | wc -l)" -ge 5
for command in $commands; do
    of_help "$command" >help
    check "$command: the help has options" grep -q '^--help$' help
    for kind in man bash zsh fish; do
        of_$kind "$command" >have
        check "$command: $kind has the options of the help" diff help have
    done
done
for page in "$pages"/*.1; do
    # It looks for other pages among those that are installed.
    with mandoc "mandoc: $(basename "$page")" sh -c \
        'mandoc -Tlint "$1" | grep -v "referenced manual not found" >lint; cat lint; test ! -s lint' sh "$page"
done
for page in $(sed -n 's/^\.Xr \([a-z-]*\) 1.*/\1/p' "$pages"/*.1 | sort -u); do
    check "$page.1 is referred to and exists" test -s "$pages/$page.1"
done
with shellcheck 'shellcheck: bash' shellcheck -s bash "$pages/ptoasm.bash"
with zsh 'zsh reads its file' zsh -n "$pages/_ptoasm"

# The answers of bash to a line; the last word is completed.
cat >complete.bash <<'END'
source "$1/ptoasm.bash"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ptoasm
printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
END
bash_says() { # NAME WANT WORD...
    name=$1 want=$2
    shift 2
    got=$(bash complete.bash "$pages" "$@" 2>&1)
    check "bash: $name" same answer "$got" "$want"
}
bash_says 'commands' 'emit equiv explain ' ptoasm e
bash_says 'an option' '--profile= ' ptoasm check --prof
bash_says 'several options' '--check --color= --compat= ' ptoasm fmt --c
bash_says 'all values' 'a2a3 a5 all cpu ' ptoasm check --profile =
bash_says 'a value' 'a2a3 a5 all ' ptoasm check --profile = a
bash_says 'a value without =' 'a2a3 a5 ' ptoasm emit --profile a
bash_says 'programs and folders' "$samples/tadds_as.pto $samples/tadds_dps.pto $samples/tadds_ssa.pto " ptoasm check "$samples/ta"
touch 'two words.pto' two.txt && mkdir 'two folders'
bash_says 'names with blanks' 'two folders two words.pto ' ptoasm check tw
bash_says 'any file for an output' 'two folders two words.pto two.txt ' ptoasm emit -o tw
bash_says 'a folder for pages' 'two folders ' ptoasm explain --pages = tw
bash_says 'instructions' 'pto.tadds pto.taddsc ' ptoasm explain pto.tadds
bash_says 'diagnostic ids' 'elem-type ' ptoasm explain elem-ty

fish_says() { # NAME WANT LINE
    if command -v fish >/dev/null 2>&1; then
        got=$(HOME=$work fish --private -c 'source $argv[1]; complete -C $argv[2]' "$pages/ptoasm.fish" "$3" 2>&1 | cut -f1 | sort | tr '\n' ' ')
        check "fish: $1" same answer "$got" "$2"
    else
        skip "fish: $1" 'no fish'
    fi
}
fish_says 'commands' 'emit equiv explain ' 'ptoasm e'
fish_says 'an option' '--profile ' 'ptoasm check --prof'
fish_says 'values' '--profile=a2a3 --profile=a5 --profile=all ' 'ptoasm check --profile=a'
fish_says 'diagnostic ids' 'elem-type ' 'ptoasm explain elem-ty'

tap_end
