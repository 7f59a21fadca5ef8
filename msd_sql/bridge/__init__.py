"""The bridge: our functions inside of the real DuckDB shell, answered by a Python worker process (issue: the shell).

`bridge.c` is the extension, `build` makes it, `worker` answers its calls, `launch` starts the shell.
"""
