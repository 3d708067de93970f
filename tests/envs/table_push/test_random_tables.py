import numpy as np
import pytest

from tests.envs.table_push.random_tables import TableFinding, examine, examine_many, summary


def test_shares_are_of_all_tables():
    findings = [
        TableFinding(False, False, None, False),
        TableFinding(True, True, 1, False),
        TableFinding(True, False, 5, False),
        TableFinding(True, False, None, True),
    ]
    assert summary(findings) == {
        "target present": 0.75,
        "target starts on the goal": 0.25,
        "feasible": 0.5,
        "trivial (one push)": 0.25,
        "feasible, not trivial": 0.25,
        "undecided": 0.25,
    }


def test_a_table_is_found_the_same_again():
    assert [examine(number) for number in range(12)] == [examine(number) for number in range(12)]


def test_a_search_that_is_cut_short_is_undecided():
    findings = [examine(number, max_pushes=1) for number in range(12)]
    assert any(finding.undecided for finding in findings)
    assert all(finding.target_present for finding in findings if finding.undecided)


@pytest.mark.slow
def test_most_random_tables_are_infeasible_or_trivial():
    """As the paper remarks; and whatever the number of processes, the findings are the same."""
    findings = examine_many(200, workers=2)
    shares = summary(findings)
    assert findings[:40] == examine_many(40)
    assert 0.25 < shares["target present"] < 0.42 and shares["undecided"] < 0.02
    assert shares["feasible, not trivial"] < 0.25 and shares["feasible"] > 0
    assert np.isclose(shares["feasible"], shares["trivial (one push)"] + shares["feasible, not trivial"])
