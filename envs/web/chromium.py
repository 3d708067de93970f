"""Chromium: which one is started, and with which flags."""

import logging
import os
import shutil
from functools import cache

from procgen_bench.core.errors import MissingChromiumError

#: The environment variable that names the browser to start.
VARIABLE = "PROCGEN_BENCH_CHROMIUM"

#: Seconds that a page may take for one answer.
DEFAULT_DEADLINE = 5.0

#: Chromium without its windows, as Debian and as Google package it: it starts and loads faster than the whole browser.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
WHOLE = "chromium"

#: What makes pictures and layout the same everywhere, keeps the browser to itself, and saves time.
FLAGS = (
    "--disable-gpu",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--lang=en-GB",
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

#: What a browser that nobody looks at does without. (Playwright, which tests steer browsers by, gives such by itself.)
UNSEEN_FLAGS = (
    "--headless",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-breakpad",
    "--disable-hang-monitor",
    "--disable-dev-shm-usage",
    "--disable-back-forward-cache",
    "--mute-audio",
    "--password-store=basic",
    "--disable-features=PaintHolding,RenderDocument,Translate,HttpsUpgrades,MediaRouter,OptimizationHints",
    # Pages out of sight are as quick as any, also where one loads hundreds of documents a second.
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-ipc-flooding-protection",
    # What is typed and clicked before a page was first painted counts, too.
    "--allow-pre-commit-input",
)


def start_command(executable: str, folder: str) -> list[str]:
    """The command that starts a browser, steered through its descriptors 3 and 4, with all files in ``folder``."""
    # Chromium refuses to build its sandbox as root, as in containers: there it runs without one.
    sandbox = [] if os.geteuid() else ["--no-sandbox"]
    own = [f"--user-data-dir={folder}", "--remote-debugging-pipe"]
    return [executable, *FLAGS, *UNSEEN_FLAGS, *sandbox, *own, "about:blank"]


def find_chromium(playwrights_own: str = "") -> str:
    """Path of the Chromium to start: what ``PROCGEN_BENCH_CHROMIUM`` names, else a shell, ``chromium``, Playwright's.

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
    for name in (*SHELLS, WHOLE):
        installed = shutil.which(name)
        if installed:
            if name == WHOLE:
                _tell_of_shells()
            return installed
    if _is_executable(playwrights_own):
        return playwrights_own
    raise MissingChromiumError("no Chromium found")


def is_installed() -> bool:
    """Whether a Chromium of this machine's is here (Playwright's own is known to its driver only)."""
    return bool(os.environ.get(VARIABLE)) or any(map(shutil.which, (*SHELLS, WHOLE)))


@cache
def _tell_of_shells() -> None:
    """Say once a process that a faster one could be installed."""
    logging.getLogger(__name__).info(
        "no headless shell found, so that the whole of Chromium is started, and pages take longer; "
        "install Debian's package (apt install chromium-headless-shell)"
    )


def _is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
