"""`python -m msd_sql.audit`: is every privacy claim true? Exact distributions, no sampling (`docs/privacy.md`)."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence

from msd_sql.udfs.audit.breaking import MISTAKES, Mistake
from msd_sql.udfs.audit.cases import cases
from msd_sql.udfs.audit.claims import Case, Finding, audit
from msd_sql.udfs.privacy.accounting import BOUNDS, OLDER_BOUNDS, candidates

_HEAD = ("method", "instance", "bound", "measured", "claimed", "exact", "tight", "verdict")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the audit and return the exit code: 0 when every claim holds, 1 when one is violated.

    >>> main(["--table"])  # doctest: +ELLIPSIS
    The largest ε0 ...
    """
    options = _parser().parse_args(arguments)
    if options.table:
        print(check_table())
        return 0
    started = time.monotonic()
    mistake = MISTAKES[options.breaks] if options.breaks else Mistake("none")
    if options.breaks:
        print(f"Broken on purpose: {mistake.said}.\n")
    with mistake.made():
        findings = list(_watched(cases(quick=options.quick), mistake.factor))
    print(report(findings))
    bad = [finding for finding in findings if finding.verdict in ("VIOLATED", "UNDECIDED")]
    took = f"{len(findings)} claims in {time.monotonic() - started:.0f} s"
    if options.breaks:
        print(f"\n{took}; {len(bad)} of them are violated: {'the audit noticed' if bad else 'the audit is blind'}.")
        return 1 if bad else 2
    unsure = sum(finding.verdict == "not refuted" for finding in findings)
    held = f"{len(findings) - unsure} hold, {unsure} are not refuted" if unsure else "every one holds"
    print(f"\n{took}; {f'{len(bad)} DO NOT HOLD' if bad else held}.")
    return 1 if bad else 0


def report(findings: Sequence[Finding]) -> str:
    """Lay the findings out as a table: what is claimed and what it is exactly."""
    rows = [
        (
            finding.case.method,
            finding.case.name,
            finding.bound,
            finding.at,
            f"{finding.claimed:.4g}",
            f"{finding.exact:.4g}",
            f"{finding.tight:.0%}",
            finding.verdict,
        )
        for finding in findings
    ]
    return _aligned([_HEAD, *rows])


def check_table() -> str:
    """Lay out the largest ε0 that each bound allows at δ = 1e-9, for several ε and numbers of rounds.

    >>> check_table().splitlines()[-1].split()
    ['renyi', '0.02857', '0.01120', '0.01120', '0.01120', '0.0971']
    """
    columns = [(0.1, 6), (0.1, 20), (0.1, 100), (0.1, 1000), (1.0, 20)]
    solved = [candidates(eps, 1e-9, rounds=rounds, n=3000, k=rounds, binary=True) for eps, rounds in columns]
    head = ("bound", *(f"ε={eps:g}, T={rounds}" for eps, rounds in columns))
    rows = [
        (bound, *(f"{one[bound].eps0:.5f}" if one[bound].eps0 < 0.03 else f"{one[bound].eps0:.4f}" for one in solved))
        for bound in (*OLDER_BOUNDS, *BOUNDS)
    ]
    return "The largest ε0 for (ε, δ = 1e-9) over T rounds, by bound:\n\n" + _aligned([head, *rows])


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _watched(todo: Sequence[Case], factor: float) -> Iterator[Finding]:
    on_terminal = sys.stderr.isatty()
    for done, case in enumerate(todo, 1):
        if on_terminal:
            print(f"\r\x1b[K{done}/{len(todo)} {case.method}: {case.name}", end="", file=sys.stderr, flush=True)
        yield from audit([case], factor)
    if on_terminal:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m msd_sql.audit",
        description="Compute exact output distributions on small data sets and hold every privacy claim against them.",
    )
    parser.add_argument("--quick", action="store_true", help="smaller instances, a few seconds")
    parser.add_argument(
        "--break", dest="breaks", choices=list(MISTAKES), help="make a mistake on purpose: it must be caught"
    )
    parser.add_argument("--table", action="store_true", help="only print the largest ε0 by bound")
    return parser


if __name__ == "__main__":
    sys.exit(main())
