from lab.doctor import Finding, examine, format_findings


def test_everything_the_exact_site_needs_is_examined() -> None:
    assert {"qemu-system-x86_64", "gcc", "verbs-client", "disk"} <= {each.what for each in examine()}


def test_what_is_missing_comes_with_the_command_that_brings_it() -> None:
    text = format_findings([Finding("gcc", "/usr/bin/gcc"), Finding("qemu", "not installed", "make setup")])
    assert text.splitlines() == ["ok gcc   /usr/bin/gcc", "no qemu  not installed; try: make setup"]
