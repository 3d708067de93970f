"""Changes to a submission's folder that no honest tool would make."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np

from procgen_bench.leaderboards.submission.metadata import METADATA_FILE
from procgen_bench.leaderboards.submission.traces import TRACES_FILE


class Tampering:
    """A submission's folder, and ways to change what is in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.json_path, self.npz_path = folder / METADATA_FILE, folder / TRACES_FILE

    def metadata(self) -> dict:
        """The fields of submission.json."""
        return json.loads(self.json_path.read_text())

    def fields(self, **changes):
        """Set fields of submission.json; a value of ``...`` removes the field."""
        content = {**self.metadata(), **changes}
        self.json_path.write_text(json.dumps({name: value for name, value in content.items() if value is not ...}))

    def text(self, old: str, new: str):
        """Replace a piece of submission.json's text."""
        text = self.json_path.read_text()
        assert old in text
        self.json_path.write_text(text.replace(old, new, 1))

    def load(self) -> dict[str, np.ndarray]:
        """The arrays of traces.npz."""
        with np.load(self.npz_path) as archive:
            return {name: archive[name] for name in archive.files}

    def save(self, arrays: dict[str, np.ndarray]):
        """Write these arrays as traces.npz."""
        np.savez_compressed(self.npz_path, **arrays)

    def array(self, name: str, change):
        """Replace one array by ``change(array)``, or change it in place."""
        arrays = self.load()
        changed = change(arrays[name])
        self.save({**arrays, name: arrays[name] if changed is None else changed})

    def zip(self, members, method=zipfile.ZIP_DEFLATED):
        """Write ``members``, (name, content) pairs, as traces.npz."""
        with zipfile.ZipFile(self.npz_path, "w", method) as archive:
            for name, content in members:
                archive.writestr(name, content)

    def members(self) -> dict[str, bytes]:
        """The .npy files inside traces.npz."""
        members = {}
        for name, array in self.load().items():
            file = io.BytesIO()
            np.lib.format.write_array(file, array, allow_pickle=False)
            members[f"{name}.npy"] = file.getvalue()
        return members
