"""The faults of an agent as one HTML document, light or dark as its reader has it, with pictures of the sites."""

import importlib.resources
from collections.abc import Iterator
from contextlib import closing

import gymnasium
import numpy as np
from markupsafe import Markup

from procgen_bench.apps.pictures import picture_address
from procgen_bench.baselines.papers.code.probe import ProbeReport
from procgen_bench.baselines.papers.code.site_faults import SiteFault
from procgen_bench.engine import page as pages_of_people
from procgen_bench.engine.page import html_document
from procgen_bench.envs.web import GMiniWoBEnv
from procgen_bench.envs.web.page_text import instruction_text
from procgen_bench.envs.web.rendering import draw_page
from procgen_bench.tasks.sites.solver import gate_index, solve

#: Share of the rounds, at either end of the search, over which failures are averaged.
_SHARE = 0.2
_BODY = Markup("""\
<header>
<h1>What {agent} fails</h1>
<p>{benchmark}. {told}</p>
</header>
<dl class="numbers">
{numbers}
</dl>
<main>
{faults}
</main>""")
_NUMBER = Markup("<div><dt>{name}</dt><dd>{value}</dd></div>")
_FAULT = Markup("""\
<article>
<h2><span>{number}</span>{what}</h2>
<p class="values">{values}</p>
<p>{instruction}</p>
<p class="how">Failed in {failed} of {played} further episodes; the scripted solver needs {steps} steps.</p>
<div class="pages">
{pictures}
</div>
</article>""")
_PICTURE = Markup("""\
<figure>
<img src="{address}" alt="{name}" width="{width}" height="{height}">
<figcaption>{name}</figcaption>
</figure>""")


def fault_page(report: ProbeReport, agent: str, benchmark_id: str, seconds: float, suite: str) -> str:
    """The document.

    Args:
        report: What was found.
        agent: What the agent is called.
        benchmark_id: Whose sites it played.
        seconds: How long it took.
        suite: The file that holds the sites.
    """
    told = "No fault was found." if not report.faults else f"The smallest sites come first; {suite} holds them."
    numbers = {
        "Faults": f"{len(report.faults):,}",
        "Steps of the agent": f"{report.num_steps:,}",
        "Episodes": f"{report.num_episodes:,}",
        "Sites designed": f"{report.num_designed:,}",
        "Share failed, early and late": _first_and_last(report.shares),
        "Seconds": f"{seconds:,.0f}",
    }
    here, shared = importlib.resources.files(__package__), importlib.resources.files(pages_of_people)
    styles = (shared / "page.css", shared / "dark.css", here / "fault_page.css")
    body = _BODY.format(
        agent=agent,
        benchmark=benchmark_id,
        told=told,
        numbers=_lines(_NUMBER.format(name=name, value=value) for name, value in numbers.items()),
        faults=_lines(_fault(number, fault) for number, fault in enumerate(report.faults, start=1)),
    )
    style = Markup("".join(file.read_text("utf-8") for file in styles))
    return html_document(f"What {agent} fails", "device-width", style, Markup(""), body, scheme="light dark")


def _fault(number: int, fault: SiteFault) -> Markup:
    drawn = zip(fault.task.design.pages, _pictures(fault), strict=True)
    return _FAULT.format(
        number=number,
        what=fault.what,
        values=f"Fails {fault.which_values}",
        instruction=instruction_text(fault.task),
        failed=fault.num_failed,
        played=fault.num_played,
        steps=fault.task.num_steps,
        pictures=_lines(
            _PICTURE.format(
                address=picture_address(picture, "PNG"),
                name=f"Page {place}: {', '.join(names)}",
                width=picture.shape[1],
                height=picture.shape[0],
            )
            for place, (names, picture) in enumerate(drawn, start=1)
        ),
    )


def _pictures(fault: SiteFault) -> Iterator[np.ndarray]:
    """Each page of the site as it is opened, uint8 (height, 480, 3): in Chromium, or drawn where there is none."""
    options, task = GMiniWoBEnv.film_options(), fault.task
    actions = iter(solve(task))
    with closing(gymnasium.make("GMiniWoB-v0", **options)) as env:
        env.reset(options={"task": task})
        simulation = env.unwrapped.simulation  # type: ignore[attr-defined]
        for number, page in enumerate(task.pages, start=1):
            yield simulation.screenshot(0) if options else draw_page(simulation.records(0))
            leaving = gate_index(page, number == len(task.pages))
            for action in actions:
                env.step(action)
                if action[0] == leaving:
                    break


def _first_and_last(shares: np.ndarray) -> str:
    """Shares of the generator's sites that were failed at its beginning and its end."""
    if not len(shares):
        return "-"
    count = max(1, int(_SHARE * len(shares)))
    return f"{shares[:count].mean():.2f}, {shares[-count:].mean():.2f}"


def _lines(parts: Iterator[Markup]) -> Markup:
    return Markup("\n").join(parts)
