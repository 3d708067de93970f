"""What the forgeries of test_forged_*.py are made of is itself accepted: they are refused for their faults alone."""

from procgen_bench.leaderboards.board.board import stored_submission
from procgen_bench.leaderboards.board.submitting import submit


def test_untouched_and_rewritten_submissions_are_accepted(honest, tmp_path):
    submit(honest.folder, tmp_path / "untouched")
    honest.fields(method="Rewritten", notes="two\nlines", link="https://example.org/paper?x=1#y")
    honest.save(honest.load())
    submit(honest.folder, tmp_path / "rewritten")
    honest.zip(honest.members().items())
    submit(honest.folder, tmp_path / "zipped")


def test_hard_linked_files_are_copied(honest, tmp_path):
    other = tmp_path / "other-name.npz"
    other.hardlink_to(honest.npz_path)
    entry = submit(honest.folder, tmp_path / "board")
    kept = stored_submission(entry.folder).recorded.actions.tobytes()
    other.write_bytes(b"changed later")
    assert stored_submission(entry.folder).recorded.actions.tobytes() == kept
