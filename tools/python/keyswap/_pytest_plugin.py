"""pytest's side of keyswap.testing: `@pytest.mark.keyswap_zoo("f32", "u64")` runs a test with every input of the zoo,
which it takes as its argument `zoo_case`."""

from typing import Any


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "keyswap_zoo(*types): run with each input that broke a real sort, as zoo_case")


def pytest_report_header() -> str:
    from . import __version__  # pylint: disable=import-outside-toplevel
    return f"keyswap: {__version__}"


def pytest_generate_tests(metafunc: Any) -> None:
    if "zoo_case" not in metafunc.fixturenames:
        return
    from .testing import zoo  # pylint: disable=import-outside-toplevel
    marker = metafunc.definition.get_closest_marker("keyswap_zoo")
    types = (marker.args if marker else ()) or ("u32",)
    cases = [(type_, case) for type_ in types for case in zoo(type_)]
    metafunc.parametrize("zoo_case", [case for _, case in cases],
                         ids=[f"{type_}-{case.name}" if len(types) > 1 else case.name for type_, case in cases])
