"""A completion script for your shell.

bash:  msd completion bash > ~/.local/share/bash-completion/completions/msd
zsh:   msd completion zsh > "${fpath[1]}/_msd"
fish:  msd completion fish > ~/.config/fish/completions/msd.fish
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from msd_sql.cli import COMMANDS

SHELLS = ("bash", "zsh", "fish")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msd completion`."""
    parser.add_argument("shell", choices=SHELLS, help="the shell to complete in")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(script(args.shell), end="")
    return 0


def script(shell: str) -> str:
    """Write the script of a shell, from the parsers themselves.

    >>> script("fish").splitlines()[0]
    '# msd completion for fish'
    """
    options = {name: _options(name) for name in COMMANDS}
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](options)


def _options(name: str) -> list[tuple[str, str]]:
    """List the options of a command with what they do."""
    from msd_sql.cli import _command

    parser = argparse.ArgumentParser(name)
    _command(name).arguments(parser)
    return [
        (option, action.help or "") for action in parser._actions for option in action.option_strings if len(option) > 1
    ]


def _bash(options: Mapping[str, list[tuple[str, str]]]) -> str:
    cases = "\n".join(
        f"    {name}) words='{' '.join(option for option, _ in found)}' ;;" for name, found in options.items()
    )
    return f"""\
# msd completion for bash
_msd() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{" ".join(options)} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _msd msd
"""


def _zsh(options: Mapping[str, list[tuple[str, str]]]) -> str:
    commands = "\n".join(f"    '{name}:{_safe(COMMANDS[name])}'" for name in options)
    shown = {name: " ".join(f"'{o}[{_safe(h)}]'" for o, h in found) for name, found in options.items()}
    cases = "\n".join(f"    {name}) _arguments {words} '*:file:_files' ;;" for name, words in shown.items())
    return f"""\
#compdef msd
# msd completion for zsh
_msd() {{
  local -a commands
  commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{cases}
  esac
}}
_msd "$@"
"""


def _fish(options: Mapping[str, list[tuple[str, str]]]) -> str:
    lines = ["# msd completion for fish"]
    for name, found in options.items():
        lines.append(f"complete -c msd -n __fish_use_subcommand -a {name} -d '{_safe(COMMANDS[name])}'")
        for option, what in found:
            dashes = "-l" if option.startswith("--") else "-o"
            flag = option.lstrip("-")
            lines.append(f"complete -c msd -n '__fish_seen_subcommand_from {name}' {dashes} {flag} -d '{_safe(what)}'")
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", ",")
