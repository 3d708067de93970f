from procgen_bench.engine.real_time import HeldKeys


def test_keys_are_held_until_they_are_released():
    keys = HeldKeys()
    keys.press("w")
    keys.press("a")
    assert keys.next_step() == {"w", "a"}
    keys.release("a")
    assert keys.next_step() == keys.next_step() == {"w"}
    keys.release("w")
    assert keys.next_step() == set()
    keys.release("x")  # pressed before anybody looked


def test_a_tap_between_two_steps_is_held_in_one():
    keys = HeldKeys()
    keys.press("e")
    keys.release("e")
    assert keys.next_step() == {"e"}
    assert keys.next_step() == set()


def test_toggles_stay_until_they_are_pressed_again_or_let_go():
    keys = HeldKeys(frozenset({"space"}))
    for expected in ({"space"}, set(), {"space"}):
        keys.press("space")
        keys.release("space")
        assert keys.next_step() == keys.next_step() == expected
    keys.press("w")
    keys.let_go()
    assert keys.next_step() == {"w"}
