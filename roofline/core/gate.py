"""Gates: does a kernel meet what is expected of it? An answer that hangs on which peak is meant is refused."""

from typing import Final, NamedTuple, get_args

from roofline.core.placement import Placed, Placement
from roofline.core.roof import Bound, Resource
from roofline.errors import AmbiguousVerdictError, InputError
from roofline.units import show

# What a roof decides; no gate knows how long a launch takes, so none can ask for latency-bound.
BOUNDS: Final[dict[str, Bound]] = {f"{resource}-bound": resource for resource in get_args(Resource)}


class Expectation(NamedTuple):
    """What is asked of a kernel; what is not asked is None."""

    bound: Bound | None = None
    min_efficiency: float | None = None  # share of the roof, 0 to 1
    max_time: float | None = None  # s

    @property
    def asked(self) -> bool:
        """Whether anything is asked at all."""
        return any(value is not None for value in (self.bound, self.min_efficiency, self.max_time))


class Failure(NamedTuple):
    """One unmet expectation: which one, and why in words."""

    kind: str
    text: str


def judge(placed: Placed, expectation: Expectation) -> list[Failure]:
    """The unmet expectations of a kernel, on the roof it is placed on.

    Raises:
        AmbiguousVerdictError: no precision was named, and the roofs that could be meant disagree.

    """
    failures = _failures(placed.first, expectation)
    for rival in placed.rivals:
        other = _failures(rival, expectation)
        kinds = {f.kind for f in failures} ^ {f.kind for f in other}
        if kinds:
            raise AmbiguousVerdictError(
                f"{placed.first.kernel.name} on {placed.device.id}: {' and '.join(sorted(kinds))} cannot be judged: "
                f"{_called(placed.first)} and {_called(rival)} disagree",
                hint="say which peak is meant: --dtype D, --dtype D --sparse, or --headline",
            )
    return failures


def _called(placement: Placement) -> str:
    roof = placement.roof
    kind = "headline" if roof.headline else f"sourced {roof.sparsity} peak"
    return f"the {kind} ({show(roof.peak, 'FLOP/s')})"


def _failures(placement: Placement, expectation: Expectation) -> list[Failure]:
    found = []
    if expectation.bound is not None and placement.bound != expectation.bound:
        is_now = "unknown" if placement.bound is None else f"{placement.bound}-bound"
        found.append(Failure("expect", f"expected {expectation.bound}-bound, is {is_now}"))
    least = expectation.min_efficiency
    if least is not None:
        found += _inefficient(placement, least)
    limit = expectation.max_time
    if limit is not None:
        if placement.kernel.seconds is None:
            found.append(Failure("max_time", f"has a limit of {show(limit, 's')} but no measured time"))
        elif placement.kernel.seconds > limit:
            found.append(
                Failure(
                    "max_time", f"takes {show(placement.kernel.seconds, 's')}, at most {show(limit, 's')} is allowed"
                )
            )
    return found


def _inefficient(placement: Placement, least: float) -> list[Failure]:
    reached = placement.efficiency
    if reached is None:
        timed = placement.kernel.seconds is not None
        missing = "neither FLOP count nor traffic" if timed else "no measured time"
        return [Failure("min_efficiency", f"must reach {show(least, '1')} of the roof but has {missing}")]
    if reached >= least:
        return []
    if not placement.judged_whole and placement.kernel.rate is None:
        missing = "FLOP count" if placement.kernel.flops is None else "traffic"
        return [Failure("min_efficiency", f"must reach {show(least, '1')} of the roof but has no {missing}")]
    return [Failure("min_efficiency", f"reaches {show(reached, '1')} of the roof, {show(least, '1')} is required")]


def bound_named(text: str, *, name: str) -> Bound:
    """The bound that ``memory-bound``, ``compute-bound`` or ``link-bound`` names.

    Raises:
        InputError: another word.

    """
    word = text.strip().lower()
    found = BOUNDS.get(word) or BOUNDS.get(f"{word}-bound")
    if found is None:
        raise InputError(f"{name} must be {', '.join(list(BOUNDS)[:-1])} or {list(BOUNDS)[-1]}, got '{text}'")
    return found
