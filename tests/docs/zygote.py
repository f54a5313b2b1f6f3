"""Runs commands of pages in forks of one process that has imported torch: each starts at once.

Reads one JSON object a line (folder, arguments, environment) and answers with status and output.
A fork does what ``python FILE``, ``graphmend`` or ``pytest`` would in a new process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile


def work(arguments: list[str]) -> int:
    """Do as the command does; its exit status."""
    from graphmend import cli, hook, running

    name, *rest = arguments
    if name == "graphmend":
        return cli.main(rest)
    if os.environ.get("GRAPHMEND", "0") not in ("", "0"):
        hook.install_from_environment()
    if name == "pytest":
        import pytest

        return int(pytest.main([*rest, "-p", "graphmend.pytest_plugin", "-p", "no:cacheprovider"]))
    assert name == "python"
    code, module = running.of_script(rest[0])
    sys.argv[:] = rest
    return running.execute(code, module)


def child(request: dict[str, object], out: int) -> None:
    """The fork: set up as a new process would be, then the command."""
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(str(request["folder"]))
    os.environ.update(request["environment"])  # type: ignore[call-overload]
    logs = os.environ.get("TORCH_LOGS")
    if logs:
        import torch._logging._internal as logging

        logging._init_logs()
    status = 1
    try:
        status = work(request["arguments"])  # type: ignore[arg-type]
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def main() -> None:
    import graphmend.compiler
    import torch
    import torch._dynamo
    import torch._dynamo.convert_frame
    import transformers.models.bart.modeling_bart  # noqa: F401

    graphmend.compiler.dynamo.install()
    torch.set_num_threads(1)
    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryFile() as out:
            pid = os.fork()
            if pid == 0:
                child(request, out.fileno())
            _, status = os.waitpid(pid, 0)
            out.seek(0)
            text = out.read().decode(errors="replace")
        print(json.dumps({"status": os.waitstatus_to_exitcode(status), "text": text}), flush=True)


if __name__ == "__main__":
    main()
