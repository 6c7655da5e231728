from lab.sites.agent.client import locator, programs


def test_a_program_and_an_end_are_found_alone_and_within_a_word() -> None:
    locate = locator(programs({"own": "/kept/own"}) | {"@client.host": "10.0.0.1"})
    assert locate("/lab/bin/own") == "/kept/own"
    assert locate("exec /lab/bin/own @client.host:1") == "exec /kept/own 10.0.0.1:1"


def test_a_longer_name_is_not_taken_for_a_shorter_one() -> None:
    locate = locator(programs({"tcp": "/kept/tcp", "tcp-client": "/kept/tcp-client"}))
    assert [locate(f"/lab/bin/{name}") for name in ("tcp-client", "tcp.sh", "tcp2", "tcp")] == [
        *("/kept/tcp-client", "/lab/bin/tcp.sh", "/lab/bin/tcp2", "/kept/tcp")
    ]


def test_where_nothing_is_named_words_stay_as_they_are() -> None:
    assert locator({})("--sizes") == "--sizes"
