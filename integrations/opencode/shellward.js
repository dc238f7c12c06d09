// Asks Shellward about every shell command before opencode runs it. Made by `shellward hook install opencode`; by hand: copy
// it to ~/.config/opencode/plugin/shellward.js (or .opencode/plugin/ of a project).
//
// opencode has no question here: what needs a person is refused, with a word on how the user can approve it.

import { spawn } from "node:child_process"

const HOOK = "shellward hook opencode"
const TOOLS = new Set(["bash", "shell"])
const MILLISECONDS = 15000

/** The hook's answer to a question; rejects where there is none. */
function ask(question, directory) {
  return new Promise((resolve, reject) => {
    const child = spawn(HOOK, { shell: true, cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
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
      if (code !== 0) return reject(new Error(`exit code ${code}`))
      try {
        resolve(JSON.parse(out))
      } catch (why) {
        reject(why)
      }
    })
    child.stdin.end(JSON.stringify(question))
  })
}

export const Shellward = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (!TOOLS.has(input.tool)) return
    const question = {
      event: "tool.execute.before",
      tool: input.tool,
      sessionID: input.sessionID,
      args: output?.args ?? {},
      directory: directory || process.cwd(),
    }
    let answer
    try {
      answer = await ask(question, directory)
    } catch (why) {
      throw new Error(`Shellward could not judge this command (${why.message}), so it does not run.`)
    }
    if (answer.action === "block") throw new Error(answer.message)
  },
})
