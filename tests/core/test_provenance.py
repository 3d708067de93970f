import os
import platform
import subprocess
from pathlib import Path

import pytest

from procgen_bench.core import provenance
from procgen_bench.core.provenance import hardware, package_versions

PROCESSOR = """processor\t: 0
model name\t: Some Processor 9
flags\t\t: fpu sse2 avx avx2 {flags}

processor\t: 1
model name\t: Another
flags\t\t: fpu fma avx512f
"""


@pytest.fixture
def described(monkeypatch, tmp_path):
    def as_(text: str) -> None:
        (tmp_path / "cpuinfo").write_text(text)
        monkeypatch.setattr(provenance, "_PROCESSOR_FILE", tmp_path / "cpuinfo")
        monkeypatch.setattr(os, "cpu_count", lambda: 2)

    return as_


def test_hardware_names_the_features_that_decide_last_bits(described):
    described(PROCESSOR.format(flags="fma3 avx512fp16"))
    assert hardware() == "Some Processor 9, 2 cores, avx2"
    described(PROCESSOR.format(flags="avx512f fma"))
    assert hardware() == "Some Processor 9, 2 cores, fma avx2 avx512f"


def test_hardware_of_a_processor_that_tells_less(described):
    described("processor : 0\nBogoMIPS : 50.00\n")
    assert hardware() == f"{platform.processor() or platform.machine()}, 2 cores"


def test_versions_name_the_c_library_that_runs(monkeypatch):
    monkeypatch.setattr(os, "confstr", lambda name: {"CS_GNU_LIBC_VERSION": "glibc 9.87"}[name])
    assert package_versions()["libc"] == "glibc 9.87"


def test_versions_of_another_c_library(monkeypatch):
    def unknown(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(os, "confstr", unknown)
    monkeypatch.setattr(platform, "libc_ver", lambda: ("musl", "1.2.4"))
    assert package_versions()["libc"] == "musl 1.2.4"
    monkeypatch.setattr(platform, "libc_ver", lambda: ("", ""))
    assert "libc" not in package_versions()


def test_commit_is_that_of_the_checkout_and_none_outside_of_one(tmp_path, monkeypatch):
    checkout = Path(provenance.__file__).resolve().parents[2]
    if (checkout / ".git").exists():
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=checkout, capture_output=True, text=True, check=True)
        assert provenance.commit().removesuffix("+changes") == head.stdout.strip()
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "site-packages" / "package" / "core" / "module.py"))
    assert provenance.commit() is None
