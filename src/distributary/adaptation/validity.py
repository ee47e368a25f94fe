"""When a conversion plan is valid, paper 003, section 2.2; what is broken is named, nothing is repaired."""

from __future__ import annotations

from distributary.adaptation.cost import ConversionPlan
from distributary.adaptation.problem import AdaptationProblem

__all__ = ["broken_rules"]


def broken_rules(problem: AdaptationProblem, plan: ConversionPlan) -> list[str]:
    """Return what breaks the rules: operators have their input, links carry what is there, requests are met."""
    broken = [f"there is no link {link[0]} to {link[1]}" for link in plan.formats if link not in problem.link_factor]
    broken += [f"there is no node {node}" for node in plan.operators if node not in problem.requested_below]
    received = {problem.root: {problem.source}}
    for node in problem.top_down:
        formats = set(received.get(node, ()))
        for start, end in plan.operators.get(node, ()):
            if (start, end) not in problem.price_of:
                broken.append(f"{node}: there is no operator from {start} to {end}")
            elif start not in formats:
                broken.append(f"{node}: the operator from {start} to {end} has no input")
            formats.add(end)
        missing = [name for name in problem.requests.get(node, ()) if name not in formats]
        if missing:
            broken.append(f"{node}: lacks {', '.join(missing)}")
        for child in problem.children.get(node, ()):
            sent = plan.formats.get((node, child), ())
            absent = [name for name in sent if name not in formats]
            if absent:
                broken.append(f"{node} to {child}: sends {', '.join(absent)} that is not there")
            received[child] = set(sent)
    return broken
