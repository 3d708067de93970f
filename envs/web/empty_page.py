"""The page that documents come to stand in, and what it grants them."""

import base64

from procgen_bench.envs.web.inspector import Call

#: Where a page believes to be. The name cannot exist (RFC 2606), and is never looked up.
PAGE_ADDRESS = "http://site.invalid/"

#: What Chromium grants a page: its own text, style and script, and nothing else. Forms fire their events, go nowhere.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; sandbox allow-scripts allow-forms"
)

#: The page that documents come to stand in: it is empty, and what it grants holds for them.
EMPTY_PAGE = {
    "responseCode": 200,
    "responseHeaders": [
        {"name": "Content-Type", "value": "text/html; charset=utf-8"},
        {"name": "Content-Security-Policy", "value": CONTENT_SECURITY_POLICY},
    ],
    "body": base64.b64encode(b"<!doctype html>").decode(),
}


def page_settings(viewport: tuple[int, int], browser: str) -> list[Call]:
    """What makes a page of this width and height the same everywhere, and keeps it to itself."""
    width, height = viewport
    looks = [("prefers-color-scheme", "light"), ("prefers-reduced-motion", "reduce")]
    return [
        ("Page.enable", {}),
        ("Inspector.enable", {}),
        ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
        ("Network.enable", {}),
        (
            "Network.emulateNetworkConditions",
            {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
        ),
        (
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        ),
        ("Emulation.setEmulatedMedia", {"features": [{"name": name, "value": value} for name, value in looks]}),
        ("Emulation.setUserAgentOverride", {"userAgent": browser, "acceptLanguage": "en-GB"}),
        ("Emulation.setLocaleOverride", {"locale": "en-GB"}),
        ("Emulation.setTimezoneOverride", {"timezoneId": "UTC"}),
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
    ]
