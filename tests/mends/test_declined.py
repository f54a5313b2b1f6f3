"""Programs that must be left alone, each with the reason that its first line names."""

from __future__ import annotations

import pytest

from tests.mends.support import DECLINED, cases

CASES = cases(DECLINED)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path.stem)
def test_is_left_alone(case):
    answer = case.mend()
    reason = case.headers["declined"]
    assert answer.status == "unchanged", answer.text
    assert answer.text == ""
    if reason == "no site":
        assert answer.sites == []
        return
    assert answer.sites, "the site was not found"
    assert [site.status for site in answer.sites] == ["declined"] * len(answer.sites)
    assert all(site.reason and site.advice for site in answer.sites)
    assert any(reason in site.reason for site in answer.sites), [s.reason for s in answer.sites]


def test_reasons_are_many():
    assert len(CASES) >= 35
    assert len({case.headers["declined"] for case in CASES}) >= 20
