"""From a push to the rulebook's picture: `python -m tests.benchmarks rulebook`.

A process that has loaded what the device has loaded opens the rulebook at a table in its pause: the list of topics,
then an answer, each drawn for the panel. Once as it would be without reading ahead, once as the device does it, which
reads ahead when a list offers the rulebook (`assembly.RulebookOutput`); in turns, so that both meet the same minute.

What people wait is on the clock. How much more the first answer costs than the same one again is told by the
processor's time: each opening is a few milliseconds, and on a busy machine one pause of the process outweighs it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from statistics import median

from tests.benchmarks.figures import Figure, at_most

MOST_MS = 100.0
"""An answer comes within a tenth of a second."""
MOST_OF_NEXT = 4.0
"""An answer's own sentences are read from the catalogue when it is first opened."""
ROUNDS = 7
CHILD = """
import json, sys, time
import referee.daemon
from referee import assembly
from referee.core.model.table import Setup
from tests.core.sitting import Sitting

table = Sitting(Setup("nna", (), ("1", "2"))).playing("1", "2").press("knob", ns=400_000_000)
assembly.draw(table.view)
if sys.argv[1] == "ahead":
    assembly.read_ahead()
spans = []
for line in ("Rulebook", "Nobody can", "Nobody can"):
    begun, worked = time.perf_counter_ns(), time.process_time_ns()
    table.choose(line)
    assembly.draw(table.view)
    spans.append(((time.perf_counter_ns() - begun) / 1e6, (time.process_time_ns() - worked) / 1e6))
    if line != "Rulebook":
        table.push()
print(json.dumps(spans))
"""


def opened(how: str) -> list[tuple[float, float]]:
    """Milliseconds on the clock and of the processor: the list of topics, the first answer, the same answer again."""
    run = subprocess.run([sys.executable, "-c", CHILD, how], capture_output=True, text=True, check=True, timeout=120)
    spans: list[tuple[float, float]] = json.loads(run.stdout)
    return spans


def main() -> list[Figure]:
    """In turns; medians."""
    rounds = [(opened("ahead"), opened("cold")) for _ in range(ROUNDS)]
    ahead, cold = zip(*rounds, strict=True)
    lists, answers = ([spans[at][0] for spans in ahead] for at in (0, 1))
    first, again = (median(spans[at][1] for spans in ahead) for at in (1, 2))
    print(
        f"the list {median(lists):.1f} ms (read only then: {median(spans[0][0] for spans in cold):.1f}), "
        f"an answer {median(answers):.1f} ms; of the processor's time {first:.1f} ms, again {again:.1f} ms"
    )
    return [
        at_most("rulebook: a push to the list of topics", median(lists), MOST_MS, "ms"),
        at_most("rulebook: a push to an answer", median(answers), MOST_MS, "ms"),
        at_most("rulebook: the first answer", first / again, MOST_OF_NEXT, "x", "the same one again"),
    ]


if __name__ == "__main__":
    main()
