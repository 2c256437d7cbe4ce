"""Calls the command as a user does, but in this process: the libraries are loaded once."""

import json
import os
import subprocess
from collections import namedtuple

import pytest

Taken = namedtuple("Taken", "code out err")
OLD = os.environ.get("PAS_SPECTRUM")  # another program, such as `python spectrum.py`, to see what it does


@pytest.fixture
def call(capsys):
    """Runs pas-spectrum."""

    def run(*arguments) -> Taken:
        arguments = [str(one) for one in arguments]
        if OLD:
            ended = subprocess.run([*OLD.split(), *arguments], check=False, capture_output=True, text=True)
            return Taken(ended.returncode, ended.stdout, ended.stderr)
        from pas_spectrum.command import main

        try:
            code = main(arguments)
        except SystemExit as ended:
            code = ended.code
        return Taken(code, *capsys.readouterr())

    return run


@pytest.fixture
def spectrum(call):
    """The spectrum of a recording that must be taken."""

    def run(*arguments, rpm=("--rpm", 1500)):
        taken = call(*arguments, *rpm)
        assert taken.code == 0, taken.err
        return json.loads(taken.out)["spectrum"]

    return run


@pytest.fixture
def refusal(call):
    """Why a recording is refused, and by which code; nothing may be printed then."""

    def run(*arguments, rpm=("--rpm", 1500), code=1):
        taken = call(*arguments, *rpm)
        assert (taken.code, taken.out) == (code, ""), taken.err
        assert "Traceback" not in taken.err
        return taken.err

    return run
