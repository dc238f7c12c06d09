"""Asks Shellward about every terminal command before Hermes Agent runs it.

The shell hook (`shellward hook install hermes`) knows yes and no; this plugin knows the question, too: what needs a person
goes to Hermes' own approval prompt. Use one of the two. To install: copy this directory to ~/.hermes/plugins/shellward and
add `shellward` to `plugins.enabled` in config.yaml.

SHELLWARD_BIN names the binary where it is not on the search path.
"""

import json
import os
import subprocess

TOOLS = {"terminal"}
SECONDS = 15
FAILED = "Shellward could not judge this command (%s). Nothing is known of what it would do."


def ask(request):
    """The gate's answer to a request; raises where there is none."""
    done = subprocess.run(
        [os.environ.get("SHELLWARD_BIN") or "shellward", "gate", "--json", "--prompt", "never"],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if done.returncode not in (0, 1, 2):
        raise RuntimeError("exit code %d" % done.returncode)
    return json.loads(done.stdout)


def pre_tool_call(tool_name=None, args=None, session_id="", **_):
    """Nothing where the command may run, else `block`, or `approve` for Hermes' question to its user."""
    if tool_name not in TOOLS:
        return None
    command = args.get("command") if isinstance(args, dict) else None
    if not isinstance(command, str) or not command.strip():
        return None
    try:
        request = {"command": command, "cwd": args.get("workdir") or os.getcwd()}
        if session_id:
            request["session"] = session_id
        # Where nobody is there, Hermes says so in its environment, and the gate reads it.
        if not any(os.environ.get(name) for name in ("HERMES_CRON_SESSION", "HERMES_SINGLE_QUERY_SESSION")):
            request["context"] = "interactive"
        answer = ask(request)
        if answer["approved"]:
            return None
        if answer.get("status"):
            return {
                "action": "approve",
                "message": answer.get("description") or answer["message"],
                "rule_key": "shellward:%s" % (answer.get("pattern_key") or "unknown"),
            }
        return {"action": "block", "message": answer["message"]}
    except Exception as why:  # A hook that raises lets the command run.
        return {"action": "approve", "message": FAILED % why, "rule_key": "shellward:failed"}


def register(ctx):
    """Called by Hermes when it loads its plugins."""
    ctx.register_hook("pre_tool_call", pre_tool_call)
