"""Start-up: how long a command takes against a bare interpreter that imports the same libraries.

Run ``python -m tests.benchmarks.startup [RUNS]``. Each pair is run in turn, A B A B ..., so that a machine whose speed
drifts slows both; the figure is the median of the ratios of neighbours. Times are printed, never asserted; what is
imported is a test (``tests/test_startup.py``).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

ROOFLINE = [sys.executable, "-c", "from roofline.__main__ import main; main()"]
# Installed packages come with bytecode; the warm-up runs write ours where nothing forbids it.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
PAIRS = (
    ("ridge --hw h100 --format json", "import click, yaml", 1.3),
    ("ridge --hw h100", "import click, yaml, rich.table, rich.console", 1.3),
    ("llm llama-3.1-70b --hw h100 --format json", "import click, yaml", 1.5),
    ("--version", "import click", 1.2),
)


def seconds(command: list[str]) -> float:
    """Wall-clock seconds of one run."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
    return time.perf_counter() - start


def ratio(arguments: str, imports: str, runs: int) -> tuple[float, float, float]:
    """Median ratio of neighbouring runs, and the median seconds of both."""
    ours, bare = [*ROOFLINE, *arguments.split()], [sys.executable, "-c", imports]
    seconds(ours), seconds(bare)  # warm the file cache
    pairs = [(seconds(ours), seconds(bare)) for _ in range(runs)]
    return (
        statistics.median(a / b for a, b in pairs),
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
    )


def main() -> None:
    """Print one line a pair."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    for arguments, imports, limit in PAIRS:
        median, ours, bare = ratio(arguments, imports, runs)
        command = f"roofline {arguments}"
        times = f"goal {limit}x; {ours * 1e3:.0f} ms, {bare * 1e3:.0f} ms"
        print(f"{command:40} {median:5.2f}x of python -c '{imports}' ({times})")


if __name__ == "__main__":
    main()
