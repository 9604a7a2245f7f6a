# SPDX-License-Identifier: Apache-2.0
"""Prints TAP, for tests that are Python programs."""
import importlib.util
import sys


class Tap:
    count = failed = 0

    def ok(self, fine, name, details=''):
        self.count += 1
        self.failed += not fine
        print('%s %d - %s' % ('ok' if fine else 'not ok', self.count, name))
        for line in str(details).splitlines() if not fine else ():
            print('# ' + line)

    def skip(self, name, why):
        self.count += 1
        print('ok %d - %s # SKIP %s' % (self.count, name, why))

    def end(self):
        print('1..%d' % self.count)
        sys.exit(self.failed > 0)


def need_numpy(name):
    """Skips the whole test where numpy is not installed."""
    if importlib.util.find_spec('numpy') is None:
        t = Tap()
        t.skip(name, 'no python3-numpy')
        t.end()
