# SPDX-License-Identifier: Apache-2.0
"""Prints TAP, for tests that are Python programs."""
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
