"""One command of tools/scripts/hostile."""
import dataclasses
import typing


@dataclasses.dataclass
class Case:
    name: str      # group and what it is about
    command: str   # of the shell, in a folder of its own; $R is traces/recorded, $CASES the table's folder
    exits: tuple   # statuses that are right
    says: str = ""  # a line of what it prints matches this
    says_not: str = ""
    prepare: typing.Optional[typing.Callable] = None  # (folder, root, program)
    after: typing.Optional[typing.Callable] = None    # (folder) -> whether it is as it should be
    memory_mb: int = 300
    seconds: float = 10
