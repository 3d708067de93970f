"""A traces.npz that is no proper zip file, or lies about what is in it."""

import io
import pickle
import struct
import zipfile
import zlib

from procgen_bench.core.benchmarks import get_benchmark
from tests.leaderboards.attacks.attack import Attacks

ATTACKS = Attacks()


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


def with_content(name: str, content: bytes):
    refusal = "traces.npz: content is .* expected a zip file"
    ATTACKS.add(name, lambda forged: forged.npz_path.write_bytes(content), refusal)


with_content("traces_empty", b"")
with_content("traces_are_an_array", b"\x93NUMPY" + bytes(200))
with_content("traces_are_a_pickle", pickle.dumps({"actions": [0]}))


@ATTACKS.refused("traces.npz: content is .* expected a zip file")
def traces_truncated(forged):
    forged.npz_path.write_bytes(forged.npz_path.read_bytes()[:-30])


@ATTACKS.refused(r"traces.npz: (content is|\w+'s) .* expected")
def traces_with_a_hole(forged):
    raw = bytearray(forged.npz_path.read_bytes())
    raw[200:600] = bytes(400)
    forged.npz_path.write_bytes(raw)


@ATTACKS.refused("traces.npz: content is .* expected a zip file without a comment")
def zip_with_comment(forged):
    with zipfile.ZipFile(forged.npz_path, "a") as archive:
        archive.comment = b"hello"


@ATTACKS.refused("traces.npz: content is 'a zip64 directory', expected a plain zip file")
def zip_with_64_bit_directory(forged):
    raw = forged.npz_path.read_bytes()
    forged.npz_path.write_bytes(raw[:-22] + b"PK\x06\x07" + bytes(16) + raw[-22:])


@ATTACKS.refused("traces.npz: number of arrays is 106, expected 6")
def zip_with_a_hundred_members(forged):
    forged.zip([*forged.members().items(), *((f"{k}.npy", b"") for k in range(100))])


@ATTACKS.refused("traces.npz: directory's size in bytes is \\d+, expected at most 1024")
def zip_that_miscounts_its_members(forged):
    forged.zip([*forged.members().items(), *((f"{k}.npy", b"") for k in range(100))])
    raw = bytearray(forged.npz_path.read_bytes())
    raw[-14:-10] = struct.pack("<2H", 6, 6)
    forged.npz_path.write_bytes(raw)


@ATTACKS.refused("traces.npz: array is '../../evil.npy', expected only")
def zip_with_path_traversal(forged):
    members = forged.members()
    forged.zip([("../../evil.npy", members.pop("runs.npy")), *members.items()])


@ATTACKS.refused("traces.npz: array is '/runs.npy', expected only")
def zip_with_absolute_path(forged):
    members = forged.members()
    forged.zip([("/runs.npy", members.pop("runs.npy")), *members.items()])


@ATTACKS.refused("traces.npz: number of arrays is 7, expected 6")
def zip_with_a_script(forged):
    forged.zip([*forged.members().items(), ("policy.py", b"print('hello')")])


@ATTACKS.refused("traces.npz: array is 'tasks.npy', expected every array only once")
def zip_with_a_member_twice(forged):
    members = forged.members()
    members.pop("runs.npy")
    raw = members["tasks.npy"]
    members["tasks_.npy"] = raw
    forged.zip(members.items())
    forged.npz_path.write_bytes(forged.npz_path.read_bytes().replace(b"tasks_.npy", b"tasks.npy\0"))


@ATTACKS.refused(r"traces.npz: number of arrays is 5, expected 6")
def zip_without_an_array(forged):
    members = forged.members()
    members.pop("scores.npy")
    forged.zip(members.items())


@ATTACKS.refused(r"traces.npz: array is 'runs.npy \(encrypted\)', expected no encryption")
def zip_encrypted(forged):
    patched(forged, "runs.npy", central=8, local=6, value=b"\x01\x00")


@ATTACKS.refused("traces.npz: runs.npy's compression is 14, expected 0")
def zip_with_slow_compression(forged):
    forged.zip(forged.members().items(), zipfile.ZIP_LZMA)


@ATTACKS.refused("traces.npz: runs.npy's compression is 99, expected 0")
def zip_with_unknown_compression(forged):
    patched(forged, "runs.npy", central=10, local=8, value=b"\x63\x00")


@ATTACKS.refused("traces.npz: (content is|seeds's) .* expected")
def zip_whose_member_is_larger_than_declared(forged):
    patched(forged, "seeds.npy", central=24, local=22, value=struct.pack("<L", 200))


@ATTACKS.refused("traces.npz: (content is|seeds's) .* expected")
def zip_whose_member_is_smaller_than_declared(forged):
    patched(forged, "seeds.npy", central=24, local=22, value=struct.pack("<L", 1_000))


@ATTACKS.refused("traces.npz: seeds's size in bytes is 4294967295, expected 800")
def zip_that_declares_four_gigabytes(forged):
    patched(forged, "seeds.npy", central=24, local=22, value=b"\xff\xff\xff\xff")


@ATTACKS.refused("traces.npz: size in bytes is 5000000, expected at most")
def traces_oversized(forged):
    forged.npz_path.write_bytes(bytes(5_000_000))


@ATTACKS.refused("traces.npz: number of arrays is 65534, expected 6")
def zip_that_counts_65534_members(forged):
    raw = bytearray(forged.npz_path.read_bytes())
    raw[-14:-10] = struct.pack("<2H", 65534, 65534)
    forged.npz_path.write_bytes(raw)


@ATTACKS.refused("traces.npz: content is .*, expected an intact zip file")
def zip_whose_directory_lies_before_its_beginning(forged):
    raw = bytearray(forged.npz_path.read_bytes())
    raw[-6:-2] = struct.pack("<L", 2**32 - 2)
    forged.npz_path.write_bytes(raw)


@ATTACKS.refused("traces.npz: (content is|runs's) .* expected")
def zip_whose_members_are_one(forged):
    """All in the directory point to the same bytes."""
    forged.zip(forged.members().items())
    raw = bytearray(forged.npz_path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = archive.namelist()
    for name in names:
        entry = raw.rindex(name.encode()) - 46
        raw[entry + 42 : entry + 46] = bytes(4)
    forged.npz_path.write_bytes(raw)


def packed_zeros(mebibytes: int = 32) -> bytes:
    """So many zeros; deflated they are few enough to be looked into. A block of them can be had again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * mebibytes + packer.flush()


@ATTACKS.refused("traces.npz: actions's size in bytes is 33554432, expected")
def bomb(forged):
    replaced_by_packed(forged, "actions.npy", packed_zeros(), 32 * 2**20)


def replaced_by_packed(forged, name: str, packed: bytes, size: int):
    """Put deflated bytes that declare ``size`` into the place of a member."""
    members = forged.members()
    members[name] = b"?" * len(packed)
    with zipfile.ZipFile(forged.npz_path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content, zipfile.ZIP_STORED if member == name else zipfile.ZIP_DEFLATED)
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


@ATTACKS.refused("traces.npz: (content is|actions's) .* expected")
def bomb_that_declares_little(forged):
    replaced_by_packed(forged, "actions.npy", packed_zeros(), 128 + 8 * len(forged.load()["actions"]))


@ATTACKS.refused("submission.json: policies is False, expected true: recorded actions of physics come out otherwise")
def recorded_actions_of_physics(forged):
    runs = [{"training_seed": 0, "policy_hash": "0" * 64}]
    forged.fields(benchmark="xland/test", benchmark_version=get_benchmark("xland/test").version, runs=runs)
