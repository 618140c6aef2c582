"""Makes every Python process hostile that has this folder on PYTHONPATH; see `hostile_worker`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import hostile_worker

hostile_worker.harm()
