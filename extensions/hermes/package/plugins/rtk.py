"""Runs the shell commands of this session through the session's own rtk.

It stands between the decision that a tool may run and its run: hooks of the user's judge a command as the agent wrote it.
The tool itself judges what it gets from here once more, with rules that may go by how a command begins. So a command of
which one of the client's own guards has anything to say stays as it is, and one of which they have not is judged in both
forms. Whatever fails on the way leaves the command as it was.
"""

import json
import logging
import os
import re
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

logger = logging.getLogger(__name__)

LIMIT = 2  # seconds that rtk has for an answer
LONGEST = 1 << 20  # bytes of an answer

# rtk as a word of a command line.
NAMED = re.compile(r"(?:^|[\s;&|(])rtk(?:\s|$)")


def ask(program, command):
    """What rtk makes of a command, None for nothing. It writes to a file, since something that it left behind could keep a
    pipe open for longer than the limit."""
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(
            [program, "rewrite", command],
            stdin=subprocess.DEVNULL,
            stdout=answer,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(LIMIT)
        except BaseException:
            end(process)
            raise
        answer.seek(0)
        text = answer.read(LONGEST + 1)
    if code not in (0, 1, 2, 3):
        raise RuntimeError("rtk ended with %d" % code)
    # 0 and 3 come with a command: 3 says that nobody allowed it beforehand, which the client decides itself.
    if code in (1, 2) or len(text) > LONGEST:
        return None
    return text.decode().strip() or None


def end(process):
    """Ends a process with all that it began."""
    try:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait(1)
    except (OSError, subprocess.TimeoutExpired):
        pass


def guarded(command):
    """Whether one of the client's guards has anything to say of a command."""
    from tools import approval, tirith_security

    return bool(
        approval.detect_hardline_command(command)[0]
        or approval._check_sudo_stdin_guard(command)[0]
        or denied(command)
        or approval.detect_dangerous_command(command)[0]
        or tirith_security.check_command_security(command).get("action") != "allow"
    )


def denied(command):
    """Whether the user denies a command."""
    from tools import approval

    return approval._match_user_deny_rule(command) is not None


def found(program, command):
    """The command, in a shell that finds the session's rtk first: a login shell may have set PATH anew."""
    if os.name != "posix" or not NAMED.search(command):
        return command
    first = shlex.quote(os.path.dirname(program) + ":")
    return "PATH=%s${PATH#%s}; %s" % (first, first, command)


def rewritten(program, args):
    """The arguments of the tool with the command that is to run instead; all others stay."""
    command = args.get("command")
    if not isinstance(command, str) or not command.strip():
        return args
    # Elsewhere than on this machine there is no such program, and nobody reads what runs on behind the conversation.
    if os.environ.get("TERMINAL_ENV", "local").strip().lower() not in ("", "local") or args.get("background") or args.get("pty"):
        return args
    if guarded(command):
        return args
    text = ask(program, command) or command
    # A rule of the user's goes by how a command begins, which may be what rtk put there.
    if text != command and denied(text):
        return args
    better = found(program, text)
    return args if better == command else {**args, "command": better}


class Rewriter:
    def __init__(self, program):
        self.program = program
        self.reported = False

    def __call__(self, *, tool_name, args, next_call, **_):
        if tool_name == "terminal" and isinstance(args, dict):
            try:
                args = rewritten(self.program, args)
            except Exception as error:
                self.report(error)
        return next_call(args)

    def report(self, error):
        """Says once why commands run as they are. An error's own text could hold the command."""
        if not self.reported:
            self.reported = True
            why = "gave no answer in time" if isinstance(error, subprocess.TimeoutExpired) else "cannot be asked: " + type(error).__name__
            logger.warning("rtk %s; commands run as they are", why)


def register(ctx):
    program = json.loads(Path(__file__).with_name("session.json").read_text(encoding="utf-8"))["rtk"]
    ctx.register_middleware("tool_execution", Rewriter(program))
