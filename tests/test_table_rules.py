"""The rules of tables: one type, which is text wherever it leaves the program."""

import json

import pytest

from tbgen.core.material import parse
from tbgen.core.table_rules import TableRules
from tbgen.errors import BadInput
from tbgen.probe.tables import OpenTables
from tbgen.store import table_path

KVK = parse("KvK")


def test_it_is_text_outside() -> None:
    assert [str(rules) for rules in TableRules] == ["r", "wg"]
    assert json.dumps([*TableRules]) == '["r", "wg"]'
    assert f"{TableRules.WHOLE_GAME}" == "wg" == TableRules.WHOLE_GAME


@pytest.mark.parametrize("rules", list(TableRules))
def test_text_is_taken_for_it(rules: TableRules) -> None:
    assert TableRules.of(rules.value) is rules
    assert OpenTables("nowhere", rules.value).rules is rules
    assert table_path("here", KVK, rules.value) == table_path("here", KVK, rules)


def test_other_text_is_refused_in_words() -> None:
    for ask in (TableRules.of, lambda words: OpenTables("nowhere", words), lambda words: table_path("", KVK, words)):
        with pytest.raises(BadInput, match=r"no such rules: 'blitz' \(there are: r, wg\)"):
            ask("blitz")
