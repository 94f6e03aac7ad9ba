"""`python -m review_app.cli`."""

import sys

from review_app.cli import main

sys.exit(main())
