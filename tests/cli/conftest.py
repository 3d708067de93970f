import pytest

from procgen_bench.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs the command line in this process: words -> exit code, stdout, stderr."""
    monkeypatch.setenv("COLUMNS", "160")

    def run_main(*words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return run_main
