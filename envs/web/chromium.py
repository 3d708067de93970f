"""Chromium: which one is started, with which flags, and what its contexts have in common."""

import os
import shutil
from importlib.util import find_spec
from typing import Any

from procgen_bench.core.errors import MissingChromiumError

#: The environment variable that names the browser to start.
VARIABLE = "PROCGEN_BENCH_CHROMIUM"

#: Seconds that a page may take for one answer.
DEFAULT_DEADLINE = 5.0

#: What makes pictures and layout the same everywhere, keeps the browser to itself, and saves time.
FLAGS = (
    "--disable-gpu",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    # No name resolves and no packet leaves, whatever asks for it: pages, and the browser on its own account.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    # Each context has renderers of its own anyway; without these, each load would start another one.
    "--disable-site-isolation-trials",
    "--process-per-site",
)

#: Keyword arguments of Playwright's ``new_context`` that all pages share.
CONTEXT_OPTIONS: dict[str, Any] = {
    "device_scale_factor": 1,
    "locale": "en-GB",
    "timezone_id": "UTC",
    "color_scheme": "light",
    "reduced_motion": "reduce",
    "offline": True,
    "service_workers": "block",
    "accept_downloads": False,
}


def launch_options(browser_type) -> dict[str, Any]:
    """Keyword arguments of Playwright's ``launch``.

    Args:
        browser_type: Playwright's ``chromium``, of the synchronous or the asynchronous interface.

    Raises:
        MissingChromiumError: There is none to start.
    """
    return {
        "executable_path": find_chromium(browser_type.executable_path),
        "args": list(FLAGS),
        # Chromium refuses to build its sandbox as root, as in containers: there it runs without one.
        "chromium_sandbox": os.geteuid() != 0,
        # Ctrl-C at a terminal goes to every process of the group; who started the browser ends it, in order.
        "handle_sigint": False,
    }


def find_chromium(playwrights_own: str) -> str:
    """Path of the Chromium to start: what ``PROCGEN_BENCH_CHROMIUM`` names, else ``chromium``, else Playwright's own.

    Args:
        playwrights_own: Where Playwright's own browser lies, if it is installed.

    Raises:
        MissingChromiumError: The variable names no executable file; or it is not set, and there is no Chromium.
    """
    named = os.environ.get(VARIABLE)
    if named:
        if not _is_executable(named):
            raise MissingChromiumError(f"{VARIABLE} is {named!r}, expected the path of an executable file")
        return named
    installed = shutil.which("chromium")
    if installed:
        return installed
    if _is_executable(playwrights_own):
        return playwrights_own
    raise MissingChromiumError("no Chromium found")


def is_installed() -> bool:
    """Whether Playwright and a Chromium of this machine's are here (Playwright's own is known to its driver only)."""
    return find_spec("playwright") is not None and bool(os.environ.get(VARIABLE) or shutil.which("chromium"))


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
