import tomllib

from hypothesis import given
from hypothesis import strategies as st

from lab.files.toml import find_line

TEXT = """title = "a [b] = c"
[parameters]
sizes = [
  1,
  2, # [x]
]
depth.inner = 3
[[series]]
name = "one"
[[series]]
name = "two"
[series.profile.exact]
why = '''
[not.a.table]
why = 1
'''
wait = "event"
"""


def test_keys_are_found_in_tables_and_lists_of_tables() -> None:
    assert find_line(TEXT, ("title",)) == 1
    assert find_line(TEXT, ("parameters", "sizes")) == 3
    assert find_line(TEXT, ("parameters", "depth", "inner")) == 7
    assert find_line(TEXT, ("series", 0, "name")) == 9
    assert find_line(TEXT, ("series", 1, "name")) == 11


def test_tables_below_a_list_of_tables_belong_to_its_last_one() -> None:
    assert find_line(TEXT, ("series", 1, "profile", "exact", "wait")) == 17


def test_text_inside_a_string_is_no_key() -> None:
    assert find_line(TEXT, ("not", "a", "table")) == 1


def test_an_unknown_key_is_where_its_table_is() -> None:
    assert find_line(TEXT, ("parameters", "missing")) == 2


def test_a_dotted_key_makes_the_table_before_it() -> None:
    assert find_line("[series]\n\nlink.mtu = 3\n", ("series", "link")) == 3


@given(st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), unique=True, min_size=1), st.integers(0, 5))
def test_every_key_of_a_flat_table_is_found(names: list[str], blank: int) -> None:
    text = "\n".join(["[t]", *("" for _ in range(blank)), *(f"{name} = {index}" for index, name in enumerate(names))])
    assert set(tomllib.loads(text)["t"]) == set(names)
    assert [find_line(text, ("t", name)) for name in names] == [index + 2 + blank for index in range(len(names))]


def test_quotes_in_a_comment_or_a_string_open_nothing() -> None:
    text = '# begins with """ in TOML\na = "x # \'\'\' y"\nb = """one line"""\nc = 1\n'
    assert [find_line(text, (name,)) for name in tomllib.loads(text)] == [2, 3, 4]


def test_a_point_in_a_quoted_key_splits_nothing() -> None:
    text = 'title = "x"\n[programs."my.tool"]\nbuild = 1\n'
    assert find_line(text, ("programs", "my.tool", "build")) == 3
