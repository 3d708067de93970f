"""A submission.json that is no proper JSON."""

import pytest

FORGERIES = []


def with_text(name: str, text: bytes, refusal: str):
    FORGERIES.append(pytest.param(lambda forged: forged.json_path.write_bytes(text), refusal, id=name))


with_text("json_empty", b"", r"submission.json: text at line 1, column 1 is '', expected JSON")
with_text("json_not_utf8", b'{"method": "\xff\xfe"}', r"text at byte 12 is b'\\xff\\xfe\"}', expected UTF-8")
with_text("json_with_byte_order_mark", b"\xef\xbb\xbf{}", "expected JSON")
with_text("json_is_a_list", b"[1, 2]", r"submission.json: content is \[1, 2\], expected a valid dictionary")
with_text("json_nested_deeply", b"[" * 100_000, "submission.json: nesting is .* expected a few levels")
with_text("json_nested_deeply_in_objects", b'{"a":' * 40_000, "submission.json: nesting is .* expected a few levels")
with_text("json_with_an_endless_number", b'{"runs": ' + b"9" * 10_000 + b"}", "expected a number of ordinary size")
with_text(
    "json_oversized", b" " * (256 * 1024 + 1), "submission.json: size in bytes is 262145, expected at most 262144"
)


def test_json_truncated(forged, refused):
    text = forged.json_path.read_text().rstrip().removesuffix("}").rstrip()
    forged.json_path.write_text(text)
    refused(r"submission.json: text at line \d+, column \d+ is '', expected JSON")


def test_json_key_twice(forged, refused):
    forged.text('"method"', '"claimed_score": 0.982, "method"')
    refused("submission.json: key is 'claimed_score', expected every key only once")


def test_json_key_twice_inside(forged, refused):
    forged.text('"training_seed": 0', '"training_seed": 0, "training_seed": 0')
    refused("submission.json: key is 'training_seed', expected every key only once")


def test_claim_nan(forged, refused):
    forged.fields(claimed_score=float("nan"))
    refused("submission.json: number is 'NaN', expected a finite number")


def test_claim_infinite(forged, refused):
    forged.fields(claimed_score=-float("inf"))
    refused("submission.json: number is '-Infinity', expected a finite number")


def test_claim_overflows_to_infinity(forged, refused):
    forged.fields(claimed_score="HUGE")
    forged.text('"HUGE"', "1e999")
    refused("claimed_score is inf, expected a finite number")


@pytest.mark.parametrize(("forge", "refusal"), FORGERIES)
def test_forgery_is_refused(forge, refusal, forged, refused):
    forge(forged)
    refused(refusal)
