"""Packs the Python package, the shared library and the libraries that it needs (but for glibc's) into a wheel.

usage: make_wheel.py --package FOLDER --info FOLDER --library FILE --licence FILE --output FILE.whl

The wheel is the same for the same contents: entries are in order, and their time is that of the zip format's epoch.
"""

import argparse
import base64
import hashlib
import re
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

_GLIBC = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util))[.]so")
_WHEEL = "Wheel-Version: 1.0\nGenerator: keyswap\nRoot-Is-Purelib: false\nTag: {tag}\n"


def needed_libraries(library: Path) -> "list[Path]":
    printed = subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout
    if "not found" in printed:
        raise SystemExit(f"make_wheel: error: {library} needs what is not here:\n{printed}")
    found = re.findall(r"^\s*(\S+) => (\S+)", printed, re.MULTILINE)
    return [Path(path) for name, path in found if not _GLIBC.match(name)]


def licence_of(library: Path) -> "tuple[str, bytes] | None":
    """Of the Debian package that the library comes from, where it is one."""
    owner = subprocess.run(["dpkg-query", "--search", f"*/{library.name}"], capture_output=True, text=True, check=False)
    package = owner.stdout.split(":")[0]
    text = Path("/usr/share/doc") / package / "copyright"
    return (package, text.read_bytes()) if package and text.exists() else None


def stripped(library: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / library.name
        shutil.copyfile(library, copy)
        subprocess.run(["strip", "--strip-unneeded", copy], check=True)
        return copy.read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("package", "info", "library", "licence", "output"):
        parser.add_argument("--" + name, type=Path, required=True)
    options = parser.parse_args()
    info = options.info.name
    contents = {f"{options.package.name}/{file.name}": file.read_bytes()
                for file in options.package.iterdir() if file.suffix == ".py" or file.name == "py.typed"}
    contents[f"{options.package.name}/{options.library.name}"] = stripped(options.library)
    for library in needed_libraries(options.library):
        contents[f"{options.package.name}/{library.name}"] = library.read_bytes()
        licence = licence_of(library)
        if licence is None:
            print(f"make_wheel: the licence of {library} was not found: add it before you pass the wheel on")
        else:
            contents[f"{info}/licenses/{licence[0]}"] = licence[1]
    for file in options.info.iterdir():
        contents[f"{info}/{file.name}"] = file.read_bytes()
    contents[f"{info}/LICENSE"] = options.licence.read_bytes()
    tag = "-".join(options.output.stem.split("-")[2:])
    contents[f"{info}/WHEEL"] = _WHEEL.format(tag=tag).encode()
    record = []
    with zipfile.ZipFile(options.output, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in sorted(contents.items()):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        record.append(f"{info}/RECORD,,\n")
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD"), "".join(record))


main()
