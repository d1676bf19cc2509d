"""simulate, whatif, verify, report and topology: the program's commands in this process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import keyswap

RECORDED = Path(__file__).resolve().parents[3] / "proptests" / "recorded"


def test_simulates_as_the_command_does():
    simulation = keyswap.simulate("dgx-a100", 2e8, gpus=[0, 1], distribution="zipf")
    assert simulation.total_ms > 0
    assert simulation.interval_ms[0] <= simulation.total_ms <= simulation.interval_ms[1]
    assert simulation.config.gpus == [0, 1]
    assert "total_ms" in dir(simulation)
    program = os.environ.get("KEYSWAP_PROGRAM")
    if program:
        printed = subprocess.run([program, "simulate", "--keys", "2e8", "--gpus", "0,1", "--distribution", "zipf", "--json"],
                                 check=True, capture_output=True)
        assert json.loads(printed.stdout) == simulation.to_dict()


def test_shows_the_page_of_a_simulation():
    page = keyswap.simulate(keys=1e8, gpus="0,1")._repr_html_()
    assert page.startswith("<iframe") and len(page) > 10_000


def test_takes_ranges_and_refuses_what_is_no_path():
    assert keyswap.simulate(keys=1e6, gpus=range(2)).config.gpus == [0, 1]
    for wrong in ([], None, 3):
        with pytest.raises(keyswap.KeyswapError, match="which is not a path"):
            keyswap.verify(wrong)
    with pytest.raises(keyswap.KeyswapError, match="--keys: 1 required COUNT missing"):
        keyswap.simulate(keys=True)


def test_refuses_in_the_words_of_the_command():
    with pytest.raises(keyswap.KeyswapError, match="did you mean '--gpus'"):
        keyswap.simulate(gpsu=3)
    with pytest.raises(keyswap.KeyswapError, match="no-such-machine"):
        keyswap.simulate("no-such-machine")
    with pytest.raises(AttributeError, match="it has: .*total_ms"):
        keyswap.simulate(keys=1e6, gpus=0).total_seconds


def test_ends_a_simulation():
    with pytest.raises(keyswap.Cancelled):
        keyswap.simulate(keys=1e9, progress=lambda done, total: True)


def test_sweeps():
    sweep = keyswap.whatif("dgx-a100", [1e8, 1e9], gpus="0,1")
    assert sweep.rows.column("total_ms").shape == (2,) if hasattr(sweep.rows.column("total_ms"), "shape") else True
    assert len(sweep.rows) == 2
    assert sweep._repr_html_().startswith("<iframe")


def test_verifies():
    fine = keyswap.verify(RECORDED / "uniform-8.trace.gz")
    assert fine and fine.holds and len(fine.traces) == 1
    with pytest.raises(keyswap.KeyswapError, match="no-such-file"):
        keyswap.verify("no-such-file")


def test_reports(tmp_path):
    report = keyswap.report(RECORDED / "uniform-8.trace.gz")
    assert "<html" in report.html and report.page is not None
    report.save(tmp_path / "saved.html")
    assert (tmp_path / "saved.html").read_text(encoding="utf-8") == report.html
    with pytest.raises(keyswap.KeyswapError, match="already exists"):
        keyswap.report(RECORDED / "uniform-8.trace.gz", output=tmp_path / "saved.html")


def test_lists_and_shows_machines():
    assert "dgx-a100" in [machine.name for machine in keyswap.topology()]
    assert keyswap.topology("dgx-a100").links[0].origins is not None


def test_nothing_is_printed():
    code = "import keyswap; keyswap.simulate('dgx-a100', 1e8, gpus=0); keyswap.topology()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout == b"" and run.stderr == b""


def test_help_answers():
    import pydoc
    text = pydoc.plain(pydoc.render_doc(keyswap))
    for name in keyswap.__all__:
        assert name in text or name == "__version__"
        assert name.startswith("__") or getattr(keyswap, name).__doc__, name


def test_takes_no_numpy():
    code = ("import sys; sys.modules['numpy'] = None; import keyswap\n"
            "made = keyswap.sort(keyswap.generate(1000, 'f32'))\n"
            "assert keyswap.check_order(made) and type(made).__name__ == 'array'\n"
            "assert keyswap.whatif('dgx-a100', [1e6], gpus='0').rows.column('total_ms')[0] > 0")
    subprocess.run([sys.executable, "-c", code], check=True)
