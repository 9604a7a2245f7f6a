#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Emits C, compiles it with every compiler there is, runs it against a harness:
# run.sh PTOASM LIBPTORT.a RUNTIME-FOLDER SANITIZERS
set -u
ptoasm=$1
libptort=$2
runtime=$3
sanitize=$4
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
warnings='-Wall -Wextra -Wpedantic -Werror'
sanflags=
[ "$sanitize" = none ] || sanflags="-fsanitize=$sanitize"
# Blocks of a grid may share one thread: small launches are then fast.
export PTORT_THREADS=1
cd "$work" || exit 2

# The emitted file is compiled by each compiler, the harness by gcc, once a program. With -flto everything is one
# program with the static library.
build() { # EXE NAME LINK-FLAGS COMPILER...
    exe=$1 prog=$2 link=$3
    shift 3
    "$@" -I"$runtime" -c -o emitted.o "$prog.c" || return
    harness="gcc -std=c11 -O1 $sanflags -Wall -Wextra -Werror -I$runtime -I. -I$here"
    if [ -n "$link" ]; then
        $harness $link -o "$exe" "$here/${prog}_main.c" emitted.o "$libptort" -lm -pthread
    else
        [ -e "${prog}_main.o" ] || $harness -c -o "${prog}_main.o" "$here/${prog}_main.c" || return
        gcc $sanflags -o "$exe" "${prog}_main.o" emitted.o -L"${libptort%/*}" -Wl,-rpath,"${libptort%/*}" -lptort \
            -lm -pthread
    fi
}
builds_and_runs() { # LABEL NAME LINK-FLAGS COMPILER...
    label=$1 prog=$2 link=$3
    shift 3
    exe=./$prog.exe
    check "$prog: $label compiles and links" build "$exe" "$prog" "$link" "$@"
    check "$prog: $label computes the expected results" "$exe"
    rm -f "$exe" emitted.o
}

# Emitted C without comments and places.
plain() {
    grep -v "^ */\* \|file = " "$1" | sed "s/[0-9][0-9]*/N/g"
}

# Emission and the whole matrix.
matrix() { # NAME EMIT-OPTIONS...
    prog=$1
    shift
    exits 0 "$prog: emit" "$ptoasm" emit "$@" --header="$prog.h" -o "$prog.c" "$here/$prog.pto"
    exits 0 "$prog: emit again" "$ptoasm" emit "$@" --header="$prog.2.h" -o "$prog.2.c" "$here/$prog.pto"
    check "$prog: the text is the same every time" cmp "$prog.c" "$prog.2.c"
    exits 0 "$prog: generic form" "$ptoasm" fmt --form=generic -o "$prog.pto" "$here/$prog.pto"
    exits 0 "$prog: emit the generic form" "$ptoasm" emit "$@" -o "$prog.2.c" "$prog.pto"
    plain "$prog.c" >a.txt
    plain "$prog.2.c" >b.txt
    check "$prog: the generic form is the same program" cmp a.txt b.txt
    case $prog in
    kernel)
        builds_and_runs 'gcc -O0' "$prog" '' gcc -std=c11 $warnings $sanflags -O0 -g
        # The whole library is optimised again for each: one program is enough.
        builds_and_runs 'gcc -O3 -flto' "$prog" '-O3 -flto' gcc -std=c11 $warnings $sanflags -O3 -flto
        ;;
    esac
    builds_and_runs 'gcc -std=gnu17' "$prog" '' gcc -std=gnu17 $warnings $sanflags -O2
    for cc in clang tcc; do
        command -v $cc >/dev/null 2>&1 || {
            skip "$prog: $cc" 'not installed'
            continue
        }
        flags=$warnings
        [ $cc = clang ] && flags="$flags -std=c11 -O2"
        [ $cc = tcc ] && flags='-Wall -Werror'
        builds_and_runs "$cc" "$prog" '' $cc $flags
    done
    echo "#include \"$prog.h\"" >"$prog.cc"
    cxx=$(command -v g++ || command -v clang++)
    if [ -n "$cxx" ]; then
        check "$prog: the header serves C++" "$cxx" $warnings -I"$runtime" -fsyntax-only "$prog.cc"
    else
        skip "$prog: the header serves C++" 'no C++ compiler'
    fi
}

matrix kernel
matrix names
matrix flow
matrix switch
matrix arith
matrix tiles
matrix checks --checked
matrix handles --checked
matrix placed --checked --profile=a5
matrix storage --checked
matrix modes
matrix sync --checked --profile=a5
matrix crosscore --checked --profile=a2a3
matrix faults --checked --profile=a2a3
matrix comm
matrix cores --checked
# ---- the profiles that move entries in other ways ----
for profile in cpu a5; do
    exits 0 "cores: emit for $profile" "$ptoasm" emit --profile=$profile --header=cores.h -o cores.c \
        "$here/cores.pto"
    builds_and_runs "$profile" cores '' gcc -std=c11 $warnings $sanflags -O2
done

# ---- one name for several values, after any number of others ----
awk 'BEGIN {
    for (n = 1; n <= 120; n++) {
        print "func.func @f" n "(%p: !pto.ptr<i32>, %n: index) {"
        print "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index"
        for (k = 1; k <= n; k++) print "%v" k " = arith.constant " k " : i32"
        for (k = 1; k <= 3; k++)
            print "scf.for %i = %c0 to %n step %c1 {\npto.store_scalar %v1, %p[%i] : !pto.ptr<i32>, i32\n}"
        print "return\n}"
    }
}' >same.pto
exits 0 'same names: emit' "$ptoasm" emit -o same.c same.pto
check 'same names: compiles' gcc -std=c11 $warnings -I"$runtime" -fsyntax-only same.c

# ---- debugging: #line ----
exits 0 '-g: emit' "$ptoasm" emit -g -o flow.c "$here/flow.pto"
check '-g: lines of the .pto file' grep -q '^#line [0-9]* ".*flow.pto"$' flow.c
check '-g: no source comments' sh -c '! grep -q "^ */\* [0-9]*: " flow.c'
check '-g: compiles' gcc -std=c11 $warnings -I"$runtime" -c -o flow.o flow.c

# ---- text that wants to become C ----
# The name of the file itself is hostile too.
evil='a"b??/
*/ int evil;\'
mkdir -p "d/${evil%/*}"
cp "$here/inject.pto" "d/$evil.pto"
for mode in '' -g --checked; do
    exits 0 "injection: emit $mode" "$ptoasm" emit $mode --header=inject.h -o inject.c "d/$evil.pto"
    for cc in 'gcc -std=c11' 'gcc -std=gnu11' 'gcc -std=c11 -trigraphs' 'clang -std=c11' tcc; do
        command -v ${cc%% *} >/dev/null 2>&1 || continue
        rm -f inject.o
        flags=$warnings
        [ "$cc" = tcc ] && flags='-Wall -Werror'
        check "injection $mode: $cc compiles" $cc $flags -I"$runtime" -c -o inject.o inject.c
        check "injection $mode: $cc defines nothing else" sh -c \
            'test -e inject.o && ! nm inject.o | grep -q " \(evil\|system\|x\)$"'
    done
    check "injection $mode: the header is one" gcc $warnings -I"$runtime" -fsyntax-only -x c inject.h
done

# ---- what has no form in C ----
refused() { # LABEL MESSAGE TEXT
    printf '%s\n' "$3" >refused.pto
    rm -f refused.c
    exits 3 "refused: $1" "$ptoasm" emit --compat=ptoas -o refused.c refused.pto
    check "refused: $1, with the reason" said "$2.*\[not-lowerable\]"
    check "refused: $1, no output" test ! -e refused.c
}
refused 'a memref parameter' "memref<4xf32>" 'func.func @k(%a: memref<4xf32>) { return }'
refused 'a vector parameter' "vector<4xf32>" 'func.func @k(%a: vector<4xf32>) { return }'
refused 'a parameter of 7 bits' "'i7'" 'func.func @k(%a: i7) { return }'
refused 'a parameter of 128 bits' "'i128'" 'func.func @k(%a: i128) { return }'
refused 'arithmetic on 24 bits' "'i24'" \
    'func.func @k(%a: i32) { %b = arith.trunci %a : i32 to i24
return }'
refused 'arrays larger than a stack' '131072 bytes' 'func.func @k() attributes {pto.entry} {
%a = pto.declare_local_array -> !pto.local_array<100000xi64>
return }'
refused 'a format that prints no number' "one number of type 'i32'" 'func.func @k(%a: i32) {
pto.print ins("%s", %a : i32)
return }'
refused 'a format that prints two numbers' "one number of type 'f32'" 'func.func @k(%a: f32) {
pto.print ins("%f %f", %a : f32)
return }'
refused 'a format without a number' "one number of type 'i32'" 'func.func @k(%a: i32) {
pto.print ins("100%%", %a : i32)
return }'

tap_end
