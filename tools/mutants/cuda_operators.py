"""The mutants of CUDA code: the mistakes of its field, found in the text of functions for the GPU.

Debian's clang cannot read the headers of today's CUDA, so that what is looked for is a shape of the
text: a barrier, a mask, an atomic, `[...]`, ` < `, `<<<...>>>`. As in `operators.py`, the code as it is
stands beside each mutant, and a number chooses one of them when the program is started.
"""

import re

from operators import Mutant, on_one_line

GPU_HEAD = re.compile(r"__global__|__device__")
BARRIER = re.compile(r"\b(__syncthreads|__syncwarp|__threadfence(?:_block|_system)?)\(\)")
BARRIER_VALUE = re.compile(r"\b__syncthreads_(?:or|and|count)\(")
MASK = re.compile(r"\b__\w+_sync\((whole_warp|every_lane|0x[fF]{8}U?)(?=,)")
ATOMIC = re.compile(r"(?<![\w:])atomic(Add|Max|Min|Or|Exch)\(")
# No operator for __stcg: "cache operators are treated as performance hints only" (PTX 9.7.9.1).
VOLATILE = re.compile(r"\*const_cast<(std::\w+) const volatile\*>\(|\bvolatile\* const (\w+) =")
SHARED = re.compile(r"__shared__ (?:__align__\(\d+\) )?([\w:]+) (\w+)\[[^\]]")
LAUNCH = re.compile(r"<<<")
WAIT = re.compile(r"^[ \t]*((?:[\w.\->\[\]()]+)?(?:make_wait|record|wait_for)\([^;]*\));$", re.MULTILINE)
WAIT_NAME = re.compile(r"(?:^|\.|->)(make_wait|record|wait_for)\(")
TYPE_BEFORE = re.compile(r"(?:[\w>*&]|\bconst)\s+$")
NO_TYPE = re.compile(r"\b(?:return|case|else|throw|in)\s+$")


def without_comments(text):
    """The same length, with blanks for comments, strings and lines of the preprocessor."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match[0])
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", blank, text,
                  flags=re.DOTALL | re.MULTILINE)


def end_of_bracket(code, begin):
    """The place after the bracket that closes the one at `begin`."""
    depth = 0
    for place in range(begin, len(code)):
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
            if depth == 0:
                return place + 1
    raise ValueError("a bracket is not closed")


def arguments(code, begin, closing=")"):
    """(begin, end) of each argument after the place of an opening bracket."""
    depth, start, found = 0, begin, []
    place = begin
    while place < len(code):
        if depth == 0 and code.startswith(closing, place):
            found.append((start, place))
            return found
        if code[place] in "([{":
            depth += 1
        elif code[place] in ")]}":
            depth -= 1
        elif code[place] == "," and depth == 0:
            found.append((start, place))
            start = place + 1
        place += 1
    raise ValueError("a list of arguments does not end")


def gpu_bodies(code):
    """(begin, end) of the bodies of functions that run on the GPU and are not constexpr."""
    bodies, place = [], 0
    while head := GPU_HEAD.search(code, place):
        at, depth = head.end(), 0
        while code[at] not in "{;" or depth:
            depth += {"(": 1, ")": -1}.get(code[at], 0)
            at += 1
        place = at
        begin = max(code.rfind(letter, 0, head.start()) for letter in ";{}") + 1
        if code[at] == "{":
            place = end_of_bracket(code, at)
            if "constexpr" not in code[begin:at]:
                bodies.append((at, place))
    return bodies


class CudaFile:
    """One file's mutants."""

    def __init__(self, path, text):
        self.path, self.text, self.code = path, text, without_comments(text)
        self.mutants = []
        if path.endswith(".cpp"):
            self.waits()
            return
        self.launches()
        for begin, end in gpu_bodies(self.code):
            self.barriers(begin, end)
            self.warps(begin, end)
            self.atomics(begin, end)
            self.indices(begin, end)
            self.bounds(begin, end)
            self.shared_buffers(begin, end)

    def add(self, start, end, operator, after, template):
        line_begin = self.text.rfind("\n", 0, start) + 1
        line = self.text[line_begin:self.text.find("\n", end)]
        if "has_fault" in line or "static_assert" in line or "constexpr" in line:
            return
        before = self.text[start:end]
        self.mutants.append(Mutant(
            self.path, self.text.count("\n", 0, start) + 1, len(self.text[:start].encode()),
            len(self.text[:end].encode()), operator, on_one_line(before), on_one_line(after), template))

    def switched(self, start, end, operator, after, shown=None):
        one_line = re.sub(r"\s*\n\s*", " ", after).replace("{", "{{").replace("}", "}}")
        self.add(start, end, operator, shown if shown is not None else after,
                 "(::keyswap::mutants::on_gpu({id}) ? (" + one_line + ") : ({inner}))")

    def barriers(self, begin, end):
        for match in BARRIER.finditer(self.code, begin, end):
            self.add(match.start(), match.end(), "barrier removed", "",
                     "(::keyswap::mutants::on_gpu({id}) ? void() : {inner})")
        for match in BARRIER_VALUE.finditer(self.code, begin, end):
            close = end_of_bracket(self.code, match.end() - 1)
            self.switched(match.start(), close, "barrier removed", self.text[match.end():close - 1])

    def warps(self, begin, end):
        for match in re.finditer(r"\b__syncwarp\(\)", self.code[begin:end]):
            self.add(begin + match.start(), begin + match.end(), "warp mask", "__syncwarp(0xffff)",
                     "(::keyswap::mutants::on_gpu({id}) ? __syncwarp(0xffffU) : {inner})")
        for match in MASK.finditer(self.code, begin, end):
            self.switched(match.start(1), match.end(1), "warp mask", f"{match[1]} >> 16")

    def atomics(self, begin, end):
        for match in ATOMIC.finditer(self.code, begin, end):
            close = end_of_bracket(self.code, match.end() - 1)
            words = self.text[match.end():close - 1]
            self.switched(match.start(), close, "atomic weakened",
                          f"::keyswap::mutants::plain_{match[1].lower()}({words})",
                          f"a plain read and write of ({words})")
        for match in VOLATILE.finditer(self.code, begin, end):
            if match[2]:
                for use in re.finditer(rf"(?<![\w*)] )\*{match[2]}\b", self.code[match.end():end]):
                    place = match.end() + use.start()
                    self.switched(place, place + len(use[0]), "atomic weakened",
                                  f"::keyswap::mutants::cached({match[2]})", "a read through the cache")
            else:
                close = end_of_bracket(self.code, match.end() - 1)
                self.switched(match.start(), close, "atomic weakened",
                              f"::keyswap::mutants::cached({self.text[match.end():close - 1]})",
                              "a read through the cache")

    def indices(self, begin, end):
        for match in re.finditer(r"([\w)\]])\[(?!\[)", self.code[begin:end]):
            bracket = begin + match.end() - 1
            close = end_of_bracket(self.code, bracket)
            name = re.search(r"[\w.\->]+$|[)\]]$", self.code[:bracket])[0]
            before = self.code[:bracket - len(name)]
            declares = TYPE_BEFORE.search(before) and not NO_TYPE.search(before)
            inner = self.text[bracket + 1:close - 1]
            if declares or not inner.strip() or "..." in inner:
                continue
            self.add(bracket + 1, close - 1, "index off by one", f"{inner} + 1",
                     "({inner}) + ::keyswap::mutants::one_if({id})")

    def bounds(self, begin, end):
        for match in re.finditer(r" (<|<=|>|>=)\s(?=[\w(*&])", self.code[begin:end]):
            start, sign = begin + match.end(), match[1]
            stop = self.end_of_operand(start)
            bound = self.text[start:stop].strip()
            stop = start + len(self.text[start:stop].rstrip())
            if bound in ("0", "0U") and sign == ">":
                continue
            step = "+" if sign in ("<", ">=") else "-"
            self.add(start, stop, "bound off by one", f"{sign} {bound} {step} 1",
                     "({inner}) " + step + " ::keyswap::mutants::one_if({id})")

    def end_of_operand(self, start):
        place, depth = start, 0
        while place < len(self.code):
            letter = self.code[place]
            if letter in "([{":
                depth += 1
            elif letter in ")]}":
                if depth == 0:
                    return place
                depth -= 1
            elif depth == 0 and (letter in ";,?" or re.match(
                    r" (&&|\|\||[=!]=|[:&|^]) |\n", self.code[place:place + 4])
                    and not re.match(r"\n\s*[+\-*/]", self.code[place:place + 200])):
                return place
            place += 1
        raise ValueError("an operand does not end")

    def shared_buffers(self, begin, end):
        of_type = {}
        for match in SHARED.finditer(self.code, begin, end):
            of_type.setdefault(match[1], []).append(match[2])
        for names in of_type.values():
            for name, other in zip(names, names[1:] + names[:1]):
                if name == other:
                    continue
                for use in re.finditer(rf"(?<![\w.>]){name}(?=[\[,)])(?!\[[^\]]*\];)", self.code[begin:end]):
                    self.switched(begin + use.start(), begin + use.end(), "shared buffers exchanged",
                                  other)

    def launches(self):
        for match in LAUNCH.finditer(self.code):
            places = arguments(self.code, match.end(), ">>>")
            for operator, (start, stop) in zip(("launch: a block fewer", "launch: half a block"), places):
                text = self.text[start:stop]
                if text.strip() == "1":
                    continue
                start += len(text) - len(text.lstrip())
                function = "fewer" if "fewer" in operator else "half"
                self.add(start, stop, operator, f"{function} of {text}",
                         f"::keyswap::mutants::{function}" + "({inner}, {id})")

    def waits(self):
        for match in WAIT.finditer(self.code):
            self.add(match.start(1), match.end(1), "stream wait removed", "",
                     "(::keyswap::mutants::on({id}) ? void() : static_cast<void>({inner}))")


def find_cuda_mutants(path, text):
    """All mutants of a file, in the order of their places."""
    return sorted(set(CudaFile(path, text).mutants),
                  key=lambda mutant: (mutant.start, -mutant.end, mutant.operator, mutant.after))
