"""Executes a notebook's cells in order, as Jupyter would, and compares what they show with what is stored: but for the
numbers of cells whose metadata say `"numbers": "free"`. Jupyter itself would bring some hundred packages.

usage: run_notebook.py NOTEBOOK [--write]    (--write stores what is shown instead)
"""

import ast
import contextlib
import io
import json
import re
import sys
from pathlib import Path


def shown_by(source: str, names: dict) -> str:
    """What a cell prints, then the value of its last expression."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    html = getattr(value, "_repr_html_", lambda: None)()
    assert html is None or "<" in html
    return printed.getvalue() + ("" if value is None else repr(value) + "\n")


def comparable(cell: dict, shown: str) -> str:
    return re.sub(r"[0-9]+", "0", shown) if cell["metadata"].get("numbers") == "free" else shown


def main() -> None:
    path = Path(sys.argv[1])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict = {"__name__": "__main__"}
    for number, cell in enumerate(cells, 1):
        shown = shown_by("".join(cell["source"]), names)
        stored = "".join(line for output in cell["outputs"] for line in output["text"])
        if "--write" in sys.argv:
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": shown.splitlines(True)}] if shown else []
        elif comparable(cell, shown) != comparable(cell, stored):
            sys.exit(f"run_notebook: cell {number} shows\n{shown}\nand is stored with\n{stored}")
    if "--write" in sys.argv:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"passed: {len(cells)} cells")


main()
