#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors of `ptoasm run` name the lines that the author wrote: locations.sh PTOASM
set -u
ptoasm=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tap.sh"
cd "$work" || exit 2
said() {
    grep -q "$1" stderr
}

# ---- an access out of bounds ----
sed -e '/pto.tload/s/$/ loc(callsite(#load at "model.py":3))/' -e '$a #load = loc("load.py":12:5)' "$here/good.pto" >good.pto
exits 1 'too small' "$ptoasm" run good.pto ones:f32x4x16 zeros 1
check 'the line of the program' said '^good.pto:13: pto.tload: '
check 'the author'"'"'s' said '^load.py:12:5: note: generated from here$'
check 'the call' said '^model.py:3: note: called from here$'
exits 1 '--locations=source' "$ptoasm" run --locations=source good.pto ones:f32x4x16 zeros 1
check 'leads with the author'"'"'s line' said '^load.py:12:5: pto.tload: '
check 'and says where the statement is' said '^good.pto:13: note: in this statement$'
check 'and what called it' said '^model.py:3: note: called from here$'
exits 2 'another word' "$ptoasm" run --locations=both good.pto ones zeros 1
check 'is refused' said "'--locations': 'both' is not pto or source"

# ---- a deadlock ----
cat >dead.pto <<'PTO'
func.func @k() attributes {pto.entry} {
  pto.section.cube {
    pto.sync.wait #pto.pipe<PIPE_FIX>, 1 loc("flash.py":14:3)
  }
  pto.section.vector {
    pto.sync.wait #pto.pipe<PIPE_V>, 2 loc(#wait)
  }
  return
}
#wait = loc("flash.py":30:3)
PTO
exits 1 'a deadlock' "$ptoasm" run --profile=a5 dead.pto
check 'where the first core waits' said '^flash.py:14:3: note: generated from here$'
check 'and the others' said '^flash.py:30:3: note: line 6: generated from here$'

# ---- a program without a location of the statement ----
cp "$here/good.pto" plain.pto
exits 1 'no location' "$ptoasm" run --locations=source plain.pto ones:f32x4x16 zeros 1
check 'is the line of the program' said '^plain.pto:13: pto.tload: '
check 'alone' test "$(grep -c 'from here\|in this' stderr)" = 0

tap_end
