"""Folders that hold other things than the two files."""

import os
import shutil
import socket

from tests.leaderboards.attacks.attack import Attacks

ATTACKS = Attacks()


@ATTACKS.refused("folder: content is 'evil.py', expected only submission.json")
def extra_file(forged):
    (forged.folder / "evil.py").write_text("raise SystemExit")


@ATTACKS.refused("folder: content is 'more', expected only submission.json")
def extra_folder(forged):
    (forged.folder / "more").mkdir()


@ATTACKS.refused(r"folder: content is 'submission.json \(missing\)'")
def no_metadata(forged):
    forged.json_path.unlink()


@ATTACKS.refused(r"folder: content is 'traces.npz \(missing\)'")
def no_traces(forged):
    forged.npz_path.unlink()


@ATTACKS.refused("submission.json: file is 'a link', expected a regular file")
def metadata_linked(forged):
    forged.json_path.rename(forged.folder.parent / "elsewhere.json")
    forged.json_path.symlink_to("../elsewhere.json")


@ATTACKS.refused("traces.npz: file is 'a link', expected a regular file")
def traces_linked_to_endless_device(forged):
    forged.npz_path.unlink()
    forged.npz_path.symlink_to("/dev/zero")


@ATTACKS.refused("traces.npz: file is 'a link', expected a regular file")
def traces_linked_to_nothing(forged):
    forged.npz_path.unlink()
    forged.npz_path.symlink_to("nowhere")


@ATTACKS.refused("traces.npz: file is 'no regular file', expected a regular file")
def traces_are_a_pipe(forged):
    forged.npz_path.unlink()
    os.mkfifo(forged.npz_path)


@ATTACKS.refused("submission.json: file is 'no regular file', expected a regular file")
def metadata_is_a_folder(forged):
    forged.json_path.unlink()
    forged.json_path.mkdir()


@ATTACKS.refused("traces.npz: file is 'no regular file', expected a regular file")
def traces_are_a_socket(forged):
    forged.npz_path.unlink()
    here = os.open(".", os.O_RDONLY)
    os.chdir(forged.folder)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(forged.npz_path.name)
    finally:
        os.fchdir(here)
        os.close(here)


@ATTACKS.refused(r"folder: path is .* expected a readable folder \(No such file or directory\)")
def folder_is_not_there(forged):
    shutil.rmtree(forged.folder)


@ATTACKS.refused(r"folder: path is .* expected a readable folder \(Not a directory\)")
def folder_is_a_file(forged):
    shutil.rmtree(forged.folder)
    forged.folder.write_text("{}")


@ATTACKS.refused(r"folder: content is '.*evil\\udcff', expected only submission.json")
def extra_file_whose_name_is_no_text(forged):
    (forged.folder / os.fsdecode(b"\x1b[31m\nevil\xff")).touch()


def enormous(forged, name: str):
    """100 GB without a byte on the disk."""
    with (forged.folder / name).open("r+b" if (forged.folder / name).exists() else "wb") as file:
        file.truncate(100 * 10**9)


ATTACKS.add(
    "metadata_of_100_gigabytes",
    lambda forged: enormous(forged, "submission.json"),
    "submission.json: size in bytes is 100000000000, expected at most 262144",
)
ATTACKS.add(
    "traces_of_100_gigabytes",
    lambda forged: enormous(forged, "traces.npz"),
    "traces.npz: size in bytes is 100000000000, expected at most",
)


@ATTACKS.refused(r"folder: path is .*\\x1b\[2J.* expected a readable folder \(No such file")
def folder_whose_path_rules_the_terminal(forged):
    forged.folder = forged.folder / "\x1b[2J\n"


@ATTACKS.refused(r"folder: path is .* expected a readable folder \(.*null byte")
def folder_whose_path_holds_a_null(forged):
    forged.folder = forged.folder / "a\0b"


@ATTACKS.refused(r"folder: path is .* expected a readable folder \(File name too long\)")
def folder_whose_path_is_too_long(forged):
    forged.folder = forged.folder / ("a" * 10_000)
