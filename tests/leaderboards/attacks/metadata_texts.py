"""A submission.json that is no proper JSON."""

from tests.leaderboards.attacks.attack import Attacks

ATTACKS = Attacks()


def with_text(name: str, text: bytes, refusal: str):
    ATTACKS.add(name, lambda forged: forged.json_path.write_bytes(text), refusal)


with_text("json_empty", b"", r"submission.json: text at line 1, column 1 is '', expected JSON")
with_text("json_not_utf8", b'{"method": "\xff\xfe"}', r"text at byte 12 is b'\\xff\\xfe\"}', expected UTF-8")
with_text("json_with_byte_order_mark", b"\xef\xbb\xbf{}", "expected JSON")
with_text("json_is_a_list", b"[1, 2]", r"submission.json: content is \[1, 2\], expected a valid dictionary")
with_text("json_nested_deeply", b"[" * 100_000, "submission.json: nesting is .* expected a few levels")
with_text("json_nested_deeply_in_objects", b'{"a":' * 40_000, "submission.json: nesting is .* expected a few levels")
with_text("json_with_a_null", b'{"method": "a\\u0000b"}', "content is 'format_version \\(missing\\)'")
with_text("json_in_utf16", '{"method": 1}'.encode("utf-16"), r"text at byte 0 is .*, expected UTF-8")
with_text("json_of_many_lists", b"[" + b"[]," * 80_000 + b"[]]", "content is .*, expected a valid dictionary")
with_text("json_of_nothing", b"null", "content is None, expected a valid dictionary")
with_text("json_with_an_endless_number", b'{"runs": ' + b"9" * 10_000 + b"}", "expected a number of ordinary size")
with_text(
    "json_oversized", b" " * (256 * 1024 + 1), "submission.json: size in bytes is 262145, expected at most 262144"
)


@ATTACKS.refused(r"submission.json: text at line \d+, column \d+ is '', expected JSON")
def json_truncated(forged):
    text = forged.json_path.read_text().rstrip().removesuffix("}").rstrip()
    forged.json_path.write_text(text)


@ATTACKS.refused("submission.json: key is 'claimed_score', expected every key only once")
def json_key_twice(forged):
    forged.text('"method"', '"claimed_score": 0.982, "method"')


@ATTACKS.refused("submission.json: key is 'training_seed', expected every key only once")
def json_key_twice_inside(forged):
    forged.text('"training_seed": 0', '"training_seed": 0, "training_seed": 0')


@ATTACKS.refused("submission.json: number is 'NaN', expected a finite number")
def claim_nan(forged):
    forged.fields(claimed_score=float("nan"))


@ATTACKS.refused("submission.json: number is '-Infinity', expected a finite number")
def claim_infinite(forged):
    forged.fields(claimed_score=-float("inf"))


@ATTACKS.refused("claimed_score is inf, expected a finite number")
def claim_overflows_to_infinity(forged):
    forged.fields(claimed_score="HUGE")
    forged.text('"HUGE"', "1e999")


@ATTACKS.refused("claimed_score is 0.9+, expected -|claimed_score is 1.0, expected -")
def claim_of_two_hundred_thousand_digits(forged):
    forged.fields(claimed_score="HUGE")
    forged.text('"HUGE"', "0." + "9" * 200_000)


@ATTACKS.refused(r"content is '\\ud800', expected a valid string")
def unknown_field_that_is_no_text(forged):
    forged.text("{", '{"\\ud800": 1, ')


@ATTACKS.refused(r"package_versions.* is '\\ud800', expected a valid string")
def version_of_what_is_no_text(forged):
    forged.text('"package_versions": {', '"package_versions": {"\\ud800": "1", ')
