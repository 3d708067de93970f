"""A traces.npz that is no proper zip file, or lies about what is in it."""

import io
import pickle
import struct
import zipfile
import zlib

import pytest


def patched(forged, name: str, central: int, local: int, value: bytes):
    """Overwrite bytes of a member's records in the central directory and in its local header."""
    forged.zip(forged.members().items())
    raw = bytearray(forged.npz_path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        start = archive.getinfo(name).header_offset
    raw[start + local : start + local + len(value)] = value
    entry = raw.rindex(name.encode()) - 46
    assert raw[entry : entry + 4] == b"PK\x01\x02"
    raw[entry + central : entry + central + len(value)] = value
    forged.npz_path.write_bytes(raw)


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY" + bytes(200), pickle.dumps({"actions": [0]})])
def test_no_zip_file(content, forged, refused):
    forged.npz_path.write_bytes(content)
    refused("traces.npz: content is .* expected a zip file")


def test_traces_truncated(forged, refused):
    forged.npz_path.write_bytes(forged.npz_path.read_bytes()[:-30])
    refused("traces.npz: content is .* expected a zip file")


def test_traces_with_a_hole(forged, refused):
    raw = bytearray(forged.npz_path.read_bytes())
    raw[200:600] = bytes(400)
    forged.npz_path.write_bytes(raw)
    refused(r"traces.npz: (content is|\w+'s) .* expected")


def test_zip_with_comment(forged, refused):
    with zipfile.ZipFile(forged.npz_path, "a") as archive:
        archive.comment = b"hello"
    refused("traces.npz: content is .* expected a zip file without a comment")


def test_zip_with_64_bit_directory(forged, refused):
    raw = forged.npz_path.read_bytes()
    forged.npz_path.write_bytes(raw[:-22] + b"PK\x06\x07" + bytes(16) + raw[-22:])
    refused("traces.npz: content is 'a zip64 directory', expected a plain zip file")


def test_zip_with_a_hundred_members(forged, refused):
    forged.zip([*forged.members().items(), *((f"{k}.npy", b"") for k in range(100))])
    refused("traces.npz: number of arrays is 106, expected 6")


def test_zip_that_miscounts_its_members(forged, refused):
    forged.zip([*forged.members().items(), *((f"{k}.npy", b"") for k in range(100))])
    raw = bytearray(forged.npz_path.read_bytes())
    raw[-14:-10] = struct.pack("<2H", 6, 6)
    forged.npz_path.write_bytes(raw)
    refused("traces.npz: directory's size in bytes is \\d+, expected at most 1024")


def test_zip_with_path_traversal(forged, refused):
    members = forged.members()
    forged.zip([("../../evil.npy", members.pop("runs.npy")), *members.items()])
    refused("traces.npz: array is '../../evil.npy', expected only")


def test_zip_with_absolute_path(forged, refused):
    members = forged.members()
    forged.zip([("/runs.npy", members.pop("runs.npy")), *members.items()])
    refused("traces.npz: array is '/runs.npy', expected only")


def test_zip_with_a_script(forged, refused):
    forged.zip([*forged.members().items(), ("policy.py", b"print('hello')")])
    refused("traces.npz: number of arrays is 7, expected 6")


def test_zip_with_a_member_twice(forged, refused):
    members = forged.members()
    members.pop("runs.npy")
    raw = members["tasks.npy"]
    members["tasks_.npy"] = raw
    forged.zip(members.items())
    forged.npz_path.write_bytes(forged.npz_path.read_bytes().replace(b"tasks_.npy", b"tasks.npy\0"))
    refused("traces.npz: array is 'tasks.npy', expected every array only once")


def test_zip_without_an_array(forged, refused):
    members = forged.members()
    members.pop("scores.npy")
    forged.zip(members.items())
    refused(r"traces.npz: number of arrays is 5, expected 6")


def test_zip_encrypted(forged, refused):
    patched(forged, "runs.npy", central=8, local=6, value=b"\x01\x00")
    refused(r"traces.npz: array is 'runs.npy \(encrypted\)', expected no encryption")


def test_zip_with_slow_compression(forged, refused):
    forged.zip(forged.members().items(), zipfile.ZIP_LZMA)
    refused("traces.npz: runs.npy's compression is 14, expected 0")


def test_zip_with_unknown_compression(forged, refused):
    patched(forged, "runs.npy", central=10, local=8, value=b"\x63\x00")
    refused("traces.npz: runs.npy's compression is 99, expected 0")


def test_zip_whose_member_is_larger_than_declared(forged, refused):
    patched(forged, "seeds.npy", central=24, local=22, value=struct.pack("<L", 200))
    refused("traces.npz: (content is|seeds's) .* expected")


def test_zip_whose_member_is_smaller_than_declared(forged, refused):
    patched(forged, "seeds.npy", central=24, local=22, value=struct.pack("<L", 1_000))
    refused("traces.npz: (content is|seeds's) .* expected")


def test_zip_that_declares_four_gigabytes(forged, refused):
    patched(forged, "seeds.npy", central=24, local=22, value=b"\xff\xff\xff\xff")
    refused("traces.npz: seeds's size in bytes is 4294967295, expected 800")


def test_traces_oversized(forged, refused):
    forged.npz_path.write_bytes(bytes(5_000_000))
    refused("traces.npz: size in bytes is 5000000, expected at most")


def packed_zeros() -> bytes:
    """32 MiB of zeros; deflated they are few enough to be looked into."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b"".join(packer.compress(bytes(1 << 20)) for _ in range(32)) + packer.flush()


def test_bomb(forged, refused):
    replaced_by_packed(forged, "actions.npy", packed_zeros(), 32 * 2**20)
    refused("traces.npz: actions's size in bytes is 33554432, expected")


def replaced_by_packed(forged, name: str, packed: bytes, size: int):
    """Put deflated bytes that declare ``size`` into the place of a member."""
    members = forged.members()
    members[name] = b"?" * len(packed)
    with zipfile.ZipFile(forged.npz_path, "w", zipfile.ZIP_STORED) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    raw = forged.npz_path.read_bytes().replace(b"?" * len(packed), packed)
    forged.npz_path.write_bytes(raw)
    raw = bytearray(raw)
    with zipfile.ZipFile(io.BytesIO(bytes(raw))) as archive:
        start = archive.getinfo(name).header_offset
    entry = raw.rindex(name.encode()) - 46
    for base, method, declared in ((start, 8, 22), (entry, 10, 24)):
        raw[base + method : base + method + 2] = struct.pack("<H", zipfile.ZIP_DEFLATED)
        raw[base + declared : base + declared + 4] = struct.pack("<L", size)
    forged.npz_path.write_bytes(raw)


def test_bomb_that_declares_little(forged, refused):
    replaced_by_packed(forged, "actions.npy", packed_zeros(), 128 + 8 * len(forged.load()["actions"]))
    refused("traces.npz: (content is|actions's) .* expected")
