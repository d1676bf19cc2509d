"""The mutants of a C++ file: realistic small mistakes, found in its syntax tree.

A mutant is a range of the file and a text with "{inner}" (the range, in which other mutants may lie)
and "{on}" (whether this mutant is to run). Since the code as it is stands in every text, all mutants
of a program are compiled at once, and one is chosen when it is started.
"""

import dataclasses
import re

from clang import cindex
from clang.cindex import CursorKind, TokenKind

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
CONNECTIVES = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|",
              "|": "&", "^": "|"}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=", "<<=": ">>=", ">>=": "<<=",
               "&=": "|=", "|=": "&=", "^=": "|="}
SWITCH = "::keyswap::mutants::"

FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONSTRUCTOR,
             CursorKind.DESTRUCTOR, CursorKind.FUNCTION_TEMPLATE, CursorKind.CONVERSION_FUNCTION}
OPERATIONS = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
              CursorKind.CALL_EXPR, CursorKind.UNEXPOSED_EXPR}
LITERALS = {CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL,
            CursorKind.CXX_BOOL_LITERAL_EXPR}
# Where a literal is an argument of a template, which has to be constant.
NAMES = {CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR, CursorKind.TYPE_REF,
         CursorKind.TEMPLATE_REF, CursorKind.CXX_FUNCTIONAL_CAST_EXPR, CursorKind.TYPE_ALIAS_DECL}
# The order of their arguments is without effect.
SYMMETRIC = {"min", "max", "minmax", "swap", "gcd", "lcm", "hypot", "is_same"}
# Without effect on what a program does.
WITHOUT_EFFECT = re.compile(r"(\.|->)(reserve|shrink_to_fit)\(|^static_cast<void>\(")


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    start: int  # bytes
    end: int
    operator: str
    before: str  # on one line, for people
    after: str
    template: str

    @property
    def key(self):
        """What it is, whatever its line is."""
        return f"{self.path}: {self.operator}: {self.before} -> {self.after}"


def on_one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def literal_mutant(text):
    """Another value of the same type, or nothing."""
    if text in ("true", "false"):
        return "false" if text == "true" else "true"
    match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|[0-9']+)([uUlLzZ]*)", text)
    if match:
        digits = match[1].replace("'", "")
        return f"{int(digits, 8 if re.fullmatch('0[0-7]+', digits) else 0) + 1}{match[2]}"
    if re.fullmatch(r"[0-9'.eE+-]+[fFlL]?", text):
        return f"(2 * {text} + 1)"
    return None


def canonical(argument):
    return re.sub(r"\bconst\b|[&\s]", "", argument.type.get_canonical().spelling)


class File:
    """One file's syntax tree, walked once."""

    def __init__(self, path, content, arguments):
        self.path = path
        self.content = content
        self.mutants = []
        unit = cindex.Index.create().parse(
            path, args=arguments, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        worst = [str(found) for found in unit.diagnostics
                 if found.severity >= cindex.Diagnostic.Fatal]
        if worst:
            raise RuntimeError(worst[0])
        self.macros = []
        for child in unit.cursor.get_children():
            if child.location.file is None or child.location.file.name != path:
                continue
            if child.kind == CursorKind.MACRO_INSTANTIATION:
                self.macros.append((child.extent.start.offset, child.extent.end.offset))
            elif child.kind.is_declaration():
                self.declaration(child)

    def text(self, cursor):
        return self.content[cursor.extent.start.offset:cursor.extent.end.offset].decode()

    def in_macro(self, cursor):
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        return any(start < last and first < end for first, last in self.macros)

    def declaration(self, cursor):
        if cursor.kind in FUNCTIONS:
            head = self.head(cursor)
            if "consteval" not in head:
                self.switch = SWITCH + ("on_at_run_time" if "constexpr" in head else "on")
                for child in cursor.get_children():
                    if child.kind == CursorKind.COMPOUND_STMT:
                        self.statement(child)
            return
        for child in cursor.get_children():
            if child.kind.is_declaration():
                self.declaration(child)

    def head(self, cursor):
        """The words of a declaration before its name."""
        first = self.content[cursor.extent.start.offset:cursor.location.offset].decode()
        return set(re.findall(r"\w+", first))

    def statement(self, cursor, parent=None):
        kind = cursor.kind
        if kind == CursorKind.STATIC_ASSERT or self.in_macro(cursor) and not list(
                cursor.get_children()):
            return
        if kind == CursorKind.VAR_DECL and "constexpr" in self.head(cursor):
            return
        children = list(cursor.get_children())
        if kind in (CursorKind.CASE_STMT,):
            children = children[1:]
        if kind == CursorKind.COMPOUND_STMT:
            for child in children:
                self.removed_statement(child)
        if kind == CursorKind.IF_STMT:
            if re.match(r"if\s+constexpr", self.text(cursor)):
                children = children[1:]
            else:
                self.skipped_branch(children)
        if kind in OPERATIONS:
            self.other_operator(cursor, children)
        if kind == CursorKind.CALL_EXPR:
            self.exchanged_arguments(cursor)
        if kind in LITERALS:
            self.other_constant(cursor, parent)
        for child in children:
            # A conversion that nobody wrote is not a parent.
            self.statement(child, parent if kind == CursorKind.UNEXPOSED_EXPR else cursor)

    def add(self, cursor, operator, before, after, template, end=None):
        if self.in_macro(cursor) or cursor.location.file.name != self.path:
            return
        self.mutants.append(
            Mutant(self.path, cursor.extent.start.line, cursor.extent.start.offset,
                   end or cursor.extent.end.offset, operator, on_one_line(before),
                   on_one_line(after), template.replace("{on}", self.switch + "({id})")))

    def add_value(self, cursor, operator, after):
        one_line = re.sub(r"\s*\n\s*", " ", re.sub(r"//[^\n\"]*$", "", after, flags=re.MULTILINE))
        self.add(cursor, operator, self.text(cursor), after,
                 "({on} ? (" + one_line.replace("{", "{{").replace("}", "}}") + ") : ({inner}))")

    def removed_statement(self, cursor):
        text = self.text(cursor)
        is_call = cursor.kind in (CursorKind.CALL_EXPR, CursorKind.UNEXPOSED_EXPR)
        if is_call:
            # A call, also where its temporaries are destroyed after it; no output by operators.
            is_call = not re.search(r"(?<!<)<<(?!<)", text) and "(" in text
        changes = cursor.kind == CursorKind.COMPOUND_ASSIGNMENT_OPERATOR or (
            cursor.kind == CursorKind.BINARY_OPERATOR) or (
                cursor.kind == CursorKind.UNARY_OPERATOR and re.search(r"\+\+|--", text))
        if (is_call or changes) and not WITHOUT_EFFECT.search(text):
            self.add(cursor, "removed", text, "", "({on} ? void() : static_cast<void>({inner}))")

    def skipped_branch(self, children):
        kinds = [child.kind for child in children[:2]]
        if kinds[0] == CursorKind.VAR_DECL and kinds[1] != CursorKind.DECL_STMT:
            self.add(children[0], "branch", self.text(children[0]), "false",
                     "{inner}; !{on} && static_cast<bool>(" + children[0].spelling + ")")
        elif kinds[0] != CursorKind.VAR_DECL:  # a DECL_STMT is what stands before a condition
            condition = children[kinds[0] == CursorKind.DECL_STMT]
            self.add(condition, "branch", self.text(condition), "false",
                     "(!{on} && static_cast<bool>({inner}))")

    def other_operator(self, cursor, children):
        if len(children) < 2 or self.in_macro(cursor):
            return
        left, right = children[0], children[-1]
        begin, end = left.extent.end.offset, right.extent.start.offset
        found = self.content[begin:end].decode().strip() if begin < end else ""
        built_in = cursor.kind in (CursorKind.BINARY_OPERATOR,
                                   CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)
        type_name = cursor.type.get_canonical().spelling
        for name, table, built_in_only in (("comparison", COMPARISONS, False),
                                           ("connective", CONNECTIVES, True),
                                           ("arithmetic", ARITHMETIC, True),
                                           ("arithmetic", ASSIGNMENTS, True)):
            if found in table and (built_in or not built_in_only):
                if name == "arithmetic" and re.search(r"string|path|stream", type_name):
                    return
                self.add_value(cursor, name,
                               f"{self.text(left)} {table[found]} {self.text(right)}")

    def exchanged_arguments(self, cursor):
        arguments = [child for child in cursor.get_arguments()
                     if child is not None and child.extent.start.offset < child.extent.end.offset]
        if cursor.spelling.startswith("operator") or cursor.spelling in SYMMETRIC:
            return
        text, start = self.text(cursor), cursor.extent.start.offset
        callee = cursor.referenced
        parameters = list(callee.get_arguments()) if callee is not None else []
        for place, (first, second) in enumerate(zip(arguments, arguments[1:])):
            one, two = self.text(first), self.text(second)
            kinds = {canonical(first), canonical(second)}
            taken = {parameter.type.get_canonical().spelling
                     for parameter in parameters[place:place + 2]}
            if len(kinds) == 1 and len(taken) <= 1 and one != two and not re.search(
                    "lambda|dependent|auto|^$", kinds.pop()):
                places = [place.extent.start.offset - start for place in (first, second)]
                ends = [place.extent.end.offset - start for place in (first, second)]
                raw = text.encode()
                changed = (raw[:places[0]] + two.encode() + raw[ends[0]:places[1]] + one.encode() +
                           raw[ends[1]:]).decode()
                self.add_value(cursor, "exchanged", changed)

    def other_constant(self, cursor, parent):
        text = self.text(cursor)
        changed = literal_mutant(text)
        if changed is None or parent is None or parent.kind in NAMES:
            return
        before = self.content[:cursor.extent.start.offset].rstrip()[-1:]
        after = self.content[cursor.extent.end.offset:].lstrip()[:1]
        of_template = parent.kind not in OPERATIONS and (before in b"<" or after == b">")
        if parent.kind in (CursorKind.VAR_DECL, CursorKind.FIELD_DECL) and before not in b"={(":
            return
        if not of_template:
            self.add_value(cursor, "constant", changed)


def find_mutants(path, content, arguments):
    """All mutants of a file, in the order of their places."""
    found = File(path, content, arguments).mutants
    return sorted(set(found), key=lambda mutant: (mutant.start, -mutant.end, mutant.after))


def with_mutants(content, numbered):
    """The file with its mutants beside the code that they replace; lines keep their numbers.

    \\param numbered (number, mutant)
    """
    # What makes a value void comes last of those in a place, around the others.
    order = sorted(numbered, key=lambda pair: (pair[1].start, -pair[1].end,
                                               pair[1].operator == "removed", pair[0]))

    def render(start, end, waiting):
        pieces, at = [], start
        while waiting:
            first = waiting[0][1]
            same = [pair for pair in waiting if (pair[1].start, pair[1].end) == (first.start, first.end)]
            inside = [pair for pair in waiting[len(same):] if pair[1].start < first.end]
            text = render(first.start, first.end, inside)
            for number, mutant in same:
                text = mutant.template.format(id=number, inner=text)
            pieces += [content[at:first.start].decode(), text]
            at = first.end
            waiting = waiting[len(same) + len(inside):]
        return "".join(pieces) + content[at:end].decode()

    return render(0, len(content), order)
