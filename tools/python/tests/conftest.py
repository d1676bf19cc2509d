"""The plugin as it is loaded where the package is installed with its entry point."""

pytest_plugins = ["keyswap._pytest_plugin"]
