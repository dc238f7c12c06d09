// Asks Shellward about every shell command before opencode runs it. To install: copy this file to
// ~/.config/opencode/plugin/shellward.js (or .opencode/plugin/ of a project). SHELLWARD_BIN names the binary where it is
// not on the search path.
//
// opencode has no question here: what needs a person is refused, with a word on how the user can approve it.

import { spawn } from "node:child_process"

const TOOLS = new Set(["bash", "shell"])
const MILLISECONDS = 15000

/** The gate's answer to a request; rejects where there is none. */
function ask(request, directory) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.env.SHELLWARD_BIN || "shellward", ["gate", "--json", "--prompt", "never"], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
    })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      reject(new Error("no answer in time"))
    }, MILLISECONDS)
    let out = ""
    child.stdout.on("data", (data) => (out += data))
    child.stdin.on("error", () => {})
    child.on("error", (why) => {
      clearTimeout(timer)
      reject(why)
    })
    child.on("close", (code) => {
      clearTimeout(timer)
      if (code !== 0 && code !== 1 && code !== 2) return reject(new Error(`exit code ${code}`))
      try {
        resolve(JSON.parse(out))
      } catch (why) {
        reject(why)
      }
    })
    child.stdin.end(JSON.stringify(request))
  })
}

export const Shellward = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (!TOOLS.has(input.tool)) return
    const command = output?.args?.command
    if (typeof command !== "string" || !command.trim()) return
    let answer
    try {
      // `gateway`: the question waits for `shellward approvals`, where the user answers it.
      const cwd = output.args.workdir || directory || process.cwd()
      answer = await ask({ command, cwd, session: input.sessionID, context: "gateway" }, directory)
    } catch (why) {
      throw new Error(`Shellward could not judge this command (${why.message}), so it does not run.`)
    }
    if (answer.approved) return
    let how = ""
    if (answer.approval_id !== undefined) {
      how = ` The user can approve it in a terminal: shellward approvals approve ${answer.approval_id} ${answer.digest.slice(0, 16)}`
    }
    throw new Error(answer.message + how)
  },
})
