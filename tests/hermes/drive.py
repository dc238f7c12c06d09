"""Drives an installed Hermes Agent: one JSON object on standard input says what, one on standard output what came of it."""

import json
import logging
import os
import sys

logging.disable(logging.CRITICAL)
job = json.load(sys.stdin)
seen = []


def answer(command, description, *_, **more):
    seen.append({"command": command, "description": description, "allow_permanent": more.get("allow_permanent")})
    return job.get("answer", "deny")


out = {}
if job["do"] == "guards":
    from tools.approval import check_all_command_guards

    out["results"] = [check_all_command_guards(c, "local", approval_callback=answer) for c in job["commands"]]
elif job["do"] == "scan":
    from tools.tirith_security import check_command_security

    out["results"] = [check_command_security(c) for c in job["commands"]]
elif job["do"] in ("shell_hook", "plugin"):
    from hermes_cli import plugins
    from hermes_cli.config import load_config

    plugins.discover_plugins(force=True)
    if job["do"] == "shell_hook":
        from agent.shell_hooks import register_from_config

        out["registered"] = [s.command for s in register_from_config(load_config(), accept_hooks=True)]
    out["results"] = [
        list(plugins.get_pre_tool_call_directive(job.get("tool", "terminal"), {"command": c}, session_id="s1"))
        for c in job["commands"]
    ]
out["seen"] = seen
json.dump(out, sys.stdout)
