#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# emacs.sh PTOASM: the lines for Emacs in docs/editors.md start the language server, and its messages arrive; skipped
# without Emacs or eglot.
set -u
ptoasm=$(realpath "$1") || exit 2
docs=$(dirname "$(realpath "$0")")/../../docs/editors.md
. "$(dirname "$(realpath "$0")")/../tap.sh"
if ! emacs --batch --eval "(progn (require 'package) (package-initialize) (require 'eglot))" >/dev/null 2>&1; then
    echo '1..0 # SKIP no emacs, or no eglot'
    exit 0
fi
cd "$work" || exit 2
mkdir bin home && ln -s "$ptoasm" bin/ptoasm
export PATH="$work/bin:$PATH" HOME="$work/home" TERM=dumb LC_ALL=C.UTF-8
awk '/^```lisp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$docs" >init.el
check 'the page has lines for Emacs' test -s init.el
printf 'nonsense\n' >k.pto
cat >run.el <<'END'
(require 'package)
(package-initialize)
(load (expand-file-name "init.el") nil t)
(require 'eglot)
(require 'flymake)
(find-file "k.pto")
(princ (format "mode %s\n" major-mode))
(run-hooks 'post-command-hook) ; eglot-ensure starts the server after the command
(let ((end (+ (float-time) 60)))
  (while (and (< (float-time) end) (null (flymake-diagnostics)))
    (when (eglot-current-server) (ignore-errors (flymake-start)))
    (accept-process-output nil 0.1)))
(dolist (d (flymake-diagnostics)) (princ (format "found %s\n" (flymake-diagnostic-text d))))
(princ (format "server %s\n" (if (eglot-current-server) "runs" "is missing")))
(when (eglot-current-server) (eglot-shutdown (eglot-current-server)))
END
emacs --batch -l run.el >out 2>err </dev/null
sed 's/^/# /' err
check 'a .pto file has its mode' grep -qx 'mode pto-mode' out
check 'the server is started' grep -qx 'server runs' out
check 'its messages are shown' grep -q '^found .*nonsense' out
tap_end
