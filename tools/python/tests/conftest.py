"""Loads the plugin, unless its entry point does: of an installed package, or of one that lies in the
working folder."""

from importlib.metadata import distributions

PLUGIN = "keyswap._pytest_plugin"
_has_entry_point = any(point.group == "pytest11" and point.value == PLUGIN
                       for distribution in distributions() for point in distribution.entry_points)
pytest_plugins = [] if _has_entry_point else [PLUGIN]
