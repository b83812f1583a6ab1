"""Started as python -I -u <sdk>/mindroom/_shim.py SOURCE TOKEN; everything happens in mindroom._run.

Python never keeps the compiled form of the file it is started with. So this one is as short as can be, and the rest is a
module, whose compiled form can be laid out beside it.
"""

import sys

sys.path.insert(0, __file__.rpartition("/mindroom/")[0])  # given as an absolute path
from mindroom._run import main

sys.exit(main())
