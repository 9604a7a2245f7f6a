#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Baselines and project files of ptoasm check: project.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2

unused() { # unused FILE NAME...: a program with a finding of --lint for each name
    file=$1
    shift
    {
        echo 'func.func @k() {'
        printf '  %%%s = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>\n' "$@"
        printf '  return\n}\n'
    } >"$file"
}
findings() { # how many there are on standard error
    grep -c '\[unused-tile\]$' stderr
}
found() { # found N NAME: after a command
    check "$2" same findings "$(findings)" "$1"
}

# ---- baselines ----
mkdir -p all/sub
unused all/a.pto x y
unused all/sub/b.pto x
exits 0 'a program with findings' "$ptoasm" check --lint all
found 3 'all are shown'
exits 0 'a baseline is written' "$ptoasm" check --lint -Werror --write-baseline=all/base all
found 0 'what it lists is not shown'
check 'it has a head and a line for each' same lines "$(wc -l <all/base)" 4
check 'paths start from its folder' grep -q '^sub/b\.pto	unused-tile	%x = pto.alloc_tile' all/base
exits 0 'what it lists is no error' "$ptoasm" check --lint -Werror --baseline=all/base all
sed 's/$/\r/' all/base >all/crlf
exits 0 'lines may end as on Windows' "$ptoasm" check --lint -Werror --baseline=all/crlf all
rm all/crlf
found 0 'and not shown'
(cd all/sub && "$ptoasm" check --lint --baseline=../base b.pto 2>../../stderr)
found 0 'from another folder'
unused all/sub/b.pto x new
exits 1 'a new finding' "$ptoasm" check --lint -Werror --baseline=all/base all
found 1 'is shown alone'
check 'which it is' grep -q '^all/sub/b\.pto:3:' stderr
unused all/sub/b.pto x x2
sed -i 's/%x2/%x/; 1i // another line' all/sub/b.pto
exits 1 'the same line twice' "$ptoasm" check --lint --baseline=all/base all
unused all/sub/b.pto x
sed -i '1i // another line' all/sub/b.pto
exits 0 'lines may move' "$ptoasm" check --lint -Werror --baseline=all/base all
printf 'func.func @k() {\n  pto.nothing\n  return\n}\n' >all/sub/c.pto
exits 1 'errors are not listed' "$ptoasm" check --lint --write-baseline=all/new all
check 'nor hidden' grep -q '\[unknown-op\]$' stderr
check 'the list has the warnings' same lines "$(wc -l <all/new)" 4
rm all/sub/c.pto
cp all/base kept
exits 0 'a baseline is renewed' "$ptoasm" check --lint --baseline=all/base --write-baseline=all/base all
check 'it lists all findings again' cmp kept all/base
exits 2 'a missing baseline' "$ptoasm" check --baseline=nothing all
check 'is named' grep -q "^ptoasm: error: cannot read baseline 'nothing': " stderr
exits 2 'a file that is none' "$ptoasm" check --baseline=all/a.pto all
printf '# ptoasm baseline 1: file, id, line\none\n' >short
exits 2 'a line without fields' "$ptoasm" check --baseline=short all
check 'is named too' grep -q "'short': line 2 " stderr
printf '# ptoasm baseline 1: file, id, line\na.pto\tunused-tle\tx\nb.pto\tunused-tle\ty\n' >short
exits 0 'an id that no warning has' "$ptoasm" check --baseline=short all
check 'is named once' same warnings "$(grep -c "^ptoasm: warning: baseline 'short': line 2: unknown warning 'unused-tle'; did you mean 'unused-tile'?" stderr)" 1
printf '# ptoasm baseline 1: file, id, line\na.pto\tunused-tile\tx\n' >short
exits 0 'one that some warning has' "$ptoasm" check --baseline=short all
check 'is not' same warnings "$(grep -c warning: stderr)" 0
exits 2 'a folder that is not there' "$ptoasm" check --write-baseline=none/base all
exits 1 'a fixed program' sh -c 'cp "$1" fix.pto; sed -i "s/pto.alloc_tile/PTO.alloc_tile/" fix.pto; "$2" check fix.pto' sh all/a.pto "$ptoasm"
exits 0 'is listed as it is then' "$ptoasm" check --lint --fix=all --write-baseline=fixed fix.pto
check 'with its findings' same lines "$(wc -l <fixed)" 3

# ---- errors of the proof of synchronisation ----
mkdir flags
cat >flags/k.pto <<'END'
func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  return
}
END
exits 1 'a flag that stays set' "$ptoasm" check --profile=a5 --level=3 flags
exits 0 'is listed' "$ptoasm" check --profile=a5 --level=3 --write-baseline=flags/base flags
check 'how many errors the list hides is said' grep -q "baseline 'flags/base' lists [0-9]* errors*, which will not be shown" "$work/stderr"
check 'with its id' grep -q '^k\.pto	sync-leak	pto\.set_flag' flags/base
exits 0 'and hidden' "$ptoasm" check --profile=a5 --level=3 -Werror --baseline=flags/base flags
check 'all of it' same text "$(cat stderr)" ''
sed -i '2p' flags/k.pto
exits 1 'a second one is not' "$ptoasm" check --profile=a5 --level=3 --baseline=flags/base flags
sed -i '2d; 3s/.*/  pto.nothing/' flags/k.pto
exits 1 'nor is another error' "$ptoasm" check --profile=a5 --level=3 --baseline=flags/base flags

# ---- excluded files ----
mkdir -p ex/old/deep 'ex/a[1]'
for file in ex/good.pto ex/bad.pto ex/old/bad.pto ex/old/deep/bad.pto 'ex/a[1]/bad.pto'; do
    printf 'func.func @k() {\n  return\n}\n' >"$file"
done
for file in ex/bad.pto ex/old/bad.pto ex/old/deep/bad.pto 'ex/a[1]/bad.pto'; do
    sed -i '2i\  pto.nothing' "$file"
done
wrong() { # wrong COUNT WHAT ARGUMENT...: so many files are rejected
    want=$1 what=$2
    shift 2
    "$ptoasm" check "$@" 2>stderr
    check "exclude: $what" same files "$(grep -c 'unknown-op' stderr)" "$want"
}
wrong 4 'nothing' ex
wrong 2 'a folder by its name' --exclude=old ex
wrong 0 'files by their name' --exclude=bad.pto ex
wrong 3 'part of a name' --exclude='d??p' ex
wrong 2 'a folder by its path' --exclude ex/old ex
wrong 4 'a path is relative to the working directory' --exclude=./old ex
wrong 4 'a path ends where it ends' --exclude=ex/ol ex
wrong 1 'several' --exclude=old --exclude=ex/bad.pto ex
wrong 1 'parts between' --exclude='ex/**/bad.pto' ex 'ex/a[1]/bad.pto'
wrong 2 'a part and what is in it' --exclude='ex/old/**' ex
wrong 3 'a bracket' --exclude='a[[]1]' ex
wrong 1 'an argument is not left out' --exclude=old ex/old/bad.pto
wrong 4 'an absolute path of another folder' --exclude=/ex/old ex
wrong 2 'an absolute path' --exclude="$work/ex/old/" ex/
exits 2 'exclude: all' "$ptoasm" check --exclude='*.pto' ex
check 'exclude: which is said' grep -q "cannot read 'ex': --exclude leaves no \*.pto file in it" stderr
bad_glob() { # bad_glob GLOB REASON
    exits 2 "exclude: a bad glob '$1'" "$ptoasm" check --exclude="$1" ex
    check 'exclude: it is shown, with the reason' grep -qF "option '--exclude': '$1' $2" stderr
}
bad_glob '' 'is empty'
bad_glob .. "has a part '..'"
bad_glob a/../b "has a part '..'"
bad_glob 'a[1' "has a '[' without ']'"
bad_glob 'a[1/b]' "has a '[' without ']'"
bad_glob 'a\' 'ends with a backslash'
bad_glob / 'names no file and no folder'
bad_glob ./ 'names no file and no folder'
exits 2 'exclude: a bad glob of a project file' sh -c 'mkdir glob && cp ex/good.pto glob && echo "--exclude=x[" >glob/.ptoasm && "$1" check glob' sh "$ptoasm"
check 'exclude: names the project file' grep -q "the project file '.*/glob/\.ptoasm'" stderr
# shellcheck disable=SC2046
exits 2 'exclude: 65 globs' "$ptoasm" check $(seq -f --exclude=%g 65) ex
check 'exclude: the limit is told' grep -q "'65' is one glob too many, 64 are possible" stderr
echo '--exclude=old --exclude ./bad.pto' >ex/.ptoasm
wrong 1 'from a project file' ex
cd 'ex/a[1]' || exit 2
exits 1 'exclude: from another folder' "$ptoasm" check ..
cd "$work" || exit 2
check 'exclude: the same' same files "$(grep -c 'unknown-op' stderr)" 1
mv ex/.ptoasm 'ex/a[1]/.ptoasm' && echo '--exclude=./bad.pto' >'ex/a[1]/.ptoasm'
exits 2 'exclude: the folder may have a bracket' "$ptoasm" check 'ex/a[1]'
exits 1 'exclude: fmt too' "$ptoasm" fmt --check ex
exits 0 'exclude: leaves files out' sh -c '"$1" fmt -i ex --exclude=bad.pto && "$1" fmt --check --exclude=bad.pto ex' sh "$ptoasm"

# ---- project files ----
printf -- '--lint\n  --baseline="base"\n' >all/.ptoasm
exits 0 'a project file' "$ptoasm" check -Werror all/a.pto
exits 0 'of a folder' "$ptoasm" check -Werror all
exits 0 'above the file' "$ptoasm" check -Werror all/sub/b.pto
found 0 'its baseline is beside it'
echo '--lint' >all/.ptoasm
exits 1 'its options count' "$ptoasm" check -Werror all/sub/b.pto
exits 0 'but not with --no-project-file' "$ptoasm" check --no-project-file -Werror all/sub/b.pto
echo '--lint -Wno-unused-tile' >all/.ptoasm
exits 1 'those of the command line come after them' "$ptoasm" check -Werror=unused-tile all/a.pto
exits 0 'and otherwise they stay' "$ptoasm" check -Werror all/a.pto
echo '--lint -Werror' >all/sub/.ptoasm
exits 1 'the next one counts' "$ptoasm" check all/sub
exits 2 'two projects' "$ptoasm" check all/a.pto all/sub/b.pto
check 'are named' grep -q 'belong to different projects' stderr
exits 0 'and may be left out' "$ptoasm" check --no-project-file all/a.pto all/sub/b.pto
(cd all/sub && "$ptoasm" check - <b.pto 2>../../stderr)
check 'standard input is in the working directory' grep -q '\[unused-tile\]$' stderr
echo 'b.pto' >all/sub/.ptoasm
exits 2 'a word that is no option' "$ptoasm" check all/sub/b.pto
check 'is named' grep -q "'b.pto' is not an option" stderr
echo '--profil=a5' >all/sub/.ptoasm
exits 2 'an unknown option' "$ptoasm" check all/sub/b.pto
check 'names its file' grep -q "the project file '.*/all/sub/\.ptoasm'" stderr
echo '-Wno-unusd-tile' >all/sub/.ptoasm
exits 2 'an unknown warning' "$ptoasm" check all/sub/b.pto
check 'names its file too' grep -q "^ptoasm: error: project file '.*/all/sub/\.ptoasm': option '-W': unknown warning 'unusd-tile'; did you mean 'unused-tile'?" stderr
echo '@more' >all/sub/.ptoasm
echo '--lint -Werror' >all/sub/more
exits 1 'a file of options beside it' "$ptoasm" check all/sub/b.pto
printf '#!x\n# --lint "\n  \t#-W\n--lint # -q\n' >all/sub/.ptoasm
exits 2 'a # after a word is none of a comment' "$ptoasm" check all/sub/b.pto
check 'but a word' grep -q "'#' is not an option" stderr
printf '#!/x "\n\t # --no-such-option\\\n--lint\n#\n@more' >all/sub/.ptoasm
printf '#\n-Werror\r\n # "' >all/sub/more
exits 1 'comments' "$ptoasm" check all/sub/b.pto
found 1 'are left out, and the lines between them count'
printf -- '--lint --write-baseline="%s\n#x" -W\\\n#error' "$PWD/new" >all/sub/.ptoasm
exits 2 'a line that begins in quotes, or after a backslash, is none' "$ptoasm" check all/sub/b.pto
check 'but a part of the word' grep -qF "unknown warning '\\0A#error'" stderr
echo '--help' >all/sub/.ptoasm
exits 2 'the help' "$ptoasm" check all/sub/b.pto
check 'is no option of a project' grep -q "'--help' is not expected" stderr
exits 0 'another command reads none' "$ptoasm" fmt all/sub/b.pto
rm all/sub/.ptoasm
mkdir all/sub/.ptoasm
exits 0 'a folder of that name is none' "$ptoasm" check all/sub/b.pto
tap_end
