"""Folders that hold other things than the two files."""

import os
import shutil
import socket


def test_extra_file(forged, refused):
    (forged.folder / "evil.py").write_text("raise SystemExit")
    refused("folder: content is 'evil.py', expected only submission.json and traces.npz")


def test_extra_folder(forged, refused):
    (forged.folder / "more").mkdir()
    refused("folder: content is 'more', expected only submission.json and traces.npz")


def test_no_metadata(forged, refused):
    forged.json_path.unlink()
    refused(r"folder: content is 'submission.json \(missing\)'")


def test_no_traces(forged, refused):
    forged.npz_path.unlink()
    refused(r"folder: content is 'traces.npz \(missing\)'")


def test_metadata_linked(forged, refused):
    forged.json_path.rename(forged.folder.parent / "elsewhere.json")
    forged.json_path.symlink_to("../elsewhere.json")
    refused("submission.json: file is 'a link', expected a regular file")


def test_traces_linked_to_endless_device(forged, refused):
    forged.npz_path.unlink()
    forged.npz_path.symlink_to("/dev/zero")
    refused("traces.npz: file is 'a link', expected a regular file")


def test_traces_linked_to_nothing(forged, refused):
    forged.npz_path.unlink()
    forged.npz_path.symlink_to("nowhere")
    refused("traces.npz: file is 'a link', expected a regular file")


def test_traces_are_a_pipe(forged, refused):
    forged.npz_path.unlink()
    os.mkfifo(forged.npz_path)
    refused("traces.npz: file is 'no regular file', expected a regular file")


def test_metadata_is_a_folder(forged, refused):
    forged.json_path.unlink()
    forged.json_path.mkdir()
    refused("submission.json: file is 'no regular file', expected a regular file")


def test_traces_are_a_socket(forged, refused):
    forged.npz_path.unlink()
    here = os.open(".", os.O_RDONLY)
    os.chdir(forged.folder)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(forged.npz_path.name)
    finally:
        os.fchdir(here)
        os.close(here)
    refused("traces.npz: file is 'no regular file', expected a regular file")


def test_folder_is_not_there(forged, refused):
    shutil.rmtree(forged.folder)
    refused(r"folder: path is .* expected a readable folder \(No such file or directory\)")


def test_folder_is_a_file(forged, refused):
    shutil.rmtree(forged.folder)
    forged.folder.write_text("{}")
    refused(r"folder: path is .* expected a readable folder \(Not a directory\)")
