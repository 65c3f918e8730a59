"""`skitter claims`: what the papers report, measured side by side, as a table or as JSON."""

from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skitter.commands.report import check_plots, choose
from skitter.console import complain, format_number, make_json, print_json, print_rows

if TYPE_CHECKING:
    from skitter.claims.pool import Job

Record = dict[str, Any]


def show_claim_list(*, as_json: bool) -> None:
    """What the claims say."""
    from skitter.claims.registry import list_claims

    claims = [make_json(claim) for claim in list_claims()]
    if as_json:
        print_json({"claims": claims})
    else:
        print_rows([(claim["id"], claim["paper"], claim["statement"]) for claim in claims])


def show_claims(
    ids: list[str],
    *,
    jobs: int | None = None,
    output: Path | None = None,
    plots: Path | None = None,
    as_json: bool,
) -> int:
    """Reproduce the claims; the exit code says whether all of them hold. With a file, what was
    measured is kept there at once, and what is there already is not measured again."""
    from skitter.claims.kept import hash_sources, is_fresh, read_records, write_records
    from skitter.claims.registry import load_claims

    if plots is not None:
        check_plots(plots)
    claims = load_claims()
    wanted = choose("claim", ids, [one.id for one in claims])
    kept = read_records(output, claims) if output is not None else {}
    fresh = {id: kept[id] for id in wanted if id in kept and is_fresh(kept[id], plots)}
    if fresh:
        complain(f"{len(fresh)} of {len(wanted)} claims are in {output} already")
    missing = [id for id in wanted if id not in fresh]
    with closing(measure(missing, jobs, plots)) as measured:
        for record in measured:
            fresh[record["id"]] = record | {"sources": hash_sources()}
            if output is not None:
                write_records(output, kept | fresh, claims)
    if output is not None:
        write_records(output, kept | fresh, claims)
    records = [fresh[id] for id in wanted]
    if as_json:
        print_json({"claims": records})
    else:
        print_rows([describe_claim(record) for record in records])
    return 0 if all(record["passed"] for record in records) else 1


def measure(ids: list[str], processes: int | None, plots: Path | None) -> Generator[Record]:
    """Records as they come, and on standard error how far it is; one job needs no process."""
    from skitter.claims.pool import list_jobs, run_jobs
    from skitter.claims.registry import run_claims
    from skitter.world.threads import count_threads

    jobs, at_once = list_jobs(ids), processes or count_threads()
    if len(jobs) == 1:
        complain(f"measuring {', '.join(ids)}")
        for id in ids:
            yield from make_json(run_claims([id], plots=plots))
        return
    forecast = Forecast(jobs, min(at_once, len(jobs) or 1))
    with closing(run_jobs(jobs, at_once, plots)) as records:
        for number, record in enumerate(records, start=1):
            forecast.note(record)
            trouble = f" ({record['trouble']})" if "trouble" in record else ""
            said = (
                f"{record['id']}: {describe_claim(record)[0]}{trouble}, {record['seconds']:.0f} s"
            )
            complain(f"claim {number} of {len(ids)}, {said}; {forecast.describe()}")
            yield make_json(record)


class Forecast:
    """How long the rest will take, from what claims cost and what those that are done took."""

    def __init__(self, jobs: "Sequence[Job]", processes: int) -> None:
        from skitter.claims.facts import find_fact

        self.cost = {id: find_fact(id).cost for job in jobs for id in job.ids}
        self.left, self.processes = sum(self.cost.values()), processes
        self.done = self.taken = 0.0

    def note(self, record: Record) -> None:
        """A claim is done."""
        self.left -= self.cost[record["id"]]
        self.done += self.cost[record["id"]]
        self.taken += record["seconds"]

    def describe(self) -> str:
        if self.left <= 0:
            return "all are measured"
        minutes = self.left * self.taken / self.done / self.processes / 60
        return f"about {minutes:.0f} min left" if minutes >= 1 else "less than a minute left"


def describe_claim(record: Record) -> tuple[str, ...]:
    """The row of a claim that was measured."""
    value = f"{format_number(record['value'])} {record['unit']}"
    bound = f"{format_number(record['expected'])} ± {format_number(record['tolerance'])}"
    expected = f"{record['sense']} {bound}"
    verdict = "pass" if record["passed"] else "FAIL"
    if record["sense"] == "about" and record["passed"]:
        verdict, expected = "told", f"about {format_number(record['expected'])}"
    return (verdict, record["id"], value, expected, record["paper"])
