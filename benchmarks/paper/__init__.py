"""The paper's experiments (section 7 and appendix), redone: `python -m benchmarks.paper` writes docs/experiments.md."""

import os

# Times are compared with each other, so all of them are times of one core; numpy reads this when it is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
