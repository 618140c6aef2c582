"""`scrubline completion`: a script that lets a shell complete commands, options and their values.

The script is made from the parser, so it knows what the help knows. It holds all that it offers and
starts no process of ours; wherever it has nothing to offer, the shell completes names of files.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import shlex
from collections.abc import Iterator, Sequence

from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .parser import make_parser


@dataclasses.dataclass(frozen=True, slots=True)
class CompletedOption:
    """An option as shells offer it.

    Attributes:
        names: with their dashes.
        help: a phrase.
        has_value: whether a value follows.
        values: those to offer; () to let the shell offer files.
    """

    names: tuple[str, ...]
    help: str
    has_value: bool
    values: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class CompletedCommand:
    """A command as shells offer it.

    Attributes:
        words: what its first word may be, as `new` of `key`; () to let the shell offer files.
    """

    name: str
    help: str
    options: tuple[CompletedOption, ...]
    words: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """All options, by all their names."""
        return [name for option in self.options for name in option.names]


def run(parsed: argparse.Namespace) -> ExitCode:
    """Prints the script for a shell."""
    show(SHELLS[parsed.shell](completed_commands(make_parser())))
    return ExitCode.DONE


def completed_commands(parser: argparse.ArgumentParser) -> list[CompletedCommand]:
    """What there is to complete, command by command."""
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    return [
        CompletedCommand(
            name,
            helps[name],
            tuple(_completed(a) for a in of_command._actions if a.option_strings),
            next((tuple(a.choices) for a in of_command._actions if _is_word(a)), ()),
        )
        for name, of_command in commands.choices.items()
    ]


def _is_word(action: argparse.Action) -> bool:
    return not action.option_strings and action.choices is not None


def _completed(action: argparse.Action) -> CompletedOption:
    offered = action.choices or getattr(action, "suggested", None) or ()
    text = " ".join((action.help or "").replace("%%", "%").split())
    text = re.sub(r"%\((\w+)\)\w", lambda match: str(getattr(action, match[1])), text)
    phrase = re.split(r"[;.] | \(default", text)[0]
    return CompletedOption(
        tuple(action.option_strings), phrase, action.nargs != 0, tuple(map(str, offered))
    )


# -- bash


def bash(commands: Sequence[CompletedCommand]) -> str:
    """The script for bash."""
    return "\n".join(_bash(commands))


def _bash(commands: Sequence[CompletedCommand]) -> Iterator[str]:
    names = " ".join(command.name for command in commands)
    yield from (
        "# Completion of scrubline; to install: scrubline completion bash > "
        "~/.local/share/bash-completion/completions/scrubline",
        "_scrubline() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}",
        "    local command= options= words= word",
        "    # Bash takes the = of --option=value for a word.",
        "    if [[ $current == = ]]; then current=",
        "    elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        "        [[ $word == -* ]] || { command=$word; break; }",
        "    done",
        "    COMPREPLY=()",
        "    case $command in",
        f'        "") words="{names}"; options="--help --version" ;;',
    )
    for command in commands:
        yield f"        {command.name})"
        yield f'            words="{" ".join(command.words)}"'
        yield f'            options="{" ".join(command.names)}"'
        yield "            case $previous in"
        for option in command.options:
            if option.has_value:
                offered = shlex.quote(" ".join(option.values))
                yield f"                {'|'.join(option.names)})"
                yield f'                    COMPREPLY=($(compgen -W {offered} -- "$current"))'
                yield "                    return ;;"
        yield "            esac ;;"
    yield from (
        "    esac",
        "    if [[ $current == -* ]]; then words=$options; fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o default -F _scrubline scrubline",
    )


# -- zsh


def zsh(commands: Sequence[CompletedCommand]) -> str:
    """The script for zsh."""
    return "\n".join(_zsh(commands))


def _zsh(commands: Sequence[CompletedCommand]) -> Iterator[str]:
    yield "#compdef scrubline"
    yield "# Completion of scrubline; to install: write it as _scrubline into a folder of $fpath"
    yield "_scrubline() {"
    yield "    local state line"
    yield "    local -a subcommands"
    yield "    subcommands=("
    yield from (f"        {shlex.quote(f'{c.name}:{c.help}')}" for c in commands)
    yield "    )"
    yield "    _arguments -C '--help[show help]' '--version[show the version]' \\"
    yield "        '1: :->command' '*:: :->rest'"
    yield "    case $state in"
    yield "        command) _describe -t subcommands command subcommands ;;"
    yield "        rest)"
    yield "            case $line[1] in"
    for command in commands:
        yield f"                {command.name})"
        yield "                    _arguments \\"
        for option in command.options:
            for name in option.names:
                yield f"                        {shlex.quote(_zsh_option(name, option))} \\"
        first = f"1:word:({' '.join(command.words)})" if command.words else "*:file:_files"
        yield f"                        {shlex.quote(first)} ;;"
    yield from ("            esac ;;", "    esac", "}", '_scrubline "$@"')


def _zsh_option(name: str, option: CompletedOption) -> str:
    text = re.sub(r"([\[\]:\\])", r"\\\1", option.help)
    if not option.has_value:
        return f"{name}[{text}]"
    value = f"({' '.join(option.values)})" if option.values else "_files"
    return f"*{name}=[{text}]:value:{value}"


# -- fish


def fish(commands: Sequence[CompletedCommand]) -> str:
    """The script for fish."""
    return "\n".join(_fish(commands))


def _fish(commands: Sequence[CompletedCommand]) -> Iterator[str]:
    yield (
        "# Completion of scrubline; to install: scrubline completion fish > "
        "~/.config/fish/completions/scrubline.fish"
    )
    for command in commands:
        yield (
            f"complete -c scrubline -f -n __fish_use_subcommand -a {command.name} "
            f"-d {_fish_text(command.help)}"
        )
    for command in commands:
        begin = f"complete -c scrubline -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            yield f"{begin} -f -a {_fish_text(' '.join(command.words))}"
        for option in command.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in option.names
            )
            value = " -r" if option.has_value else ""
            if option.values:
                value = f" -x -a {_fish_text(' '.join(option.values))}"
            yield f"{begin} {names}{value} -d {_fish_text(option.help)}"


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
"""Shell -> what makes its script."""
