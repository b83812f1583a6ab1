"""What a MindRoom background script can import: see mindroom.script_sdk."""

import sys

# Looked at here, in syntax any Python 3 can read, because an older one would stop at the SDK's syntax with no hint why.
if sys.version_info < (3, 9):
    raise RuntimeError(
        "the MindRoom script SDK needs Python 3.9 or newer, and this is Python %d.%d" % sys.version_info[:2]
    )
