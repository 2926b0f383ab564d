// jit's file gate for opencode.
//
// opencode runs plugins inside its own process and awaits them before and after every tool call. This one asks jit's
// hook about each call that may write: one process per question, JSON on its stdin, JSON or nothing on its stdout. To
// deny is to throw: the model then reads exactly the reason. Whatever goes wrong between here and jit lets the call pass
// and is logged once, because a missing jit must not stop anybody's work.

import { spawn } from "node:child_process"

// `jit setup opencode` writes the command of this installation into the next line.
const COMMAND = ["jit", "hook", "--client", "opencode"]
const TOOLS = new Set(["write", "edit", "multiedit", "patch", "apply_patch", "bash"])
// Tools of MCP servers, SERVER_TOOL, that may write by their name.
const MCP = /^.+_.*([Ww]rite|[Cc]reate|[Ss]ave|[Oo]verwrite|[Dd]elete|[Rr]emove|[Mm]ove|[Rr]ename|[Cc]opy|[Ee]dit|[Rr]eplace|[Ii]nsert|[Aa]ppend|[Pp]atch|[Uu]pdate|[Mm]odify|[Aa]pply)/
const SESSION = new Set(["session.created", "session.idle", "session.deleted"])
const LOOKUP_MS = 2000

export const JitFileGate = async ({ client, directory }) => {
  const roots = new Map() // session -> promise of the session it descends from, itself if from none
  const passed = new Map() // call -> what was allowed and has not ended yet
  const acting = new Set() // root sessions that made a call
  const asking = new Set() // processes that have not answered yet
  let complained = false

  process.once("exit", () => asking.forEach((child) => child.kill()))

  return {
    "tool.execute.before": async (input, output) => {
      if (!mayWrite(input.tool)) return
      const call = { tool: input.tool, args: output.args, callID: input.callID, sessionID: input.sessionID }
      const answer = await ask("tool.execute.before", call)
      if (answer.deny) throw new Error(answer.deny)
      passed.set(input.callID, { ...call, remark: answer.remark })
    },

    "tool.execute.after": async (input, output) => {
      if (!mayWrite(input.tool)) return
      const before = passed.get(input.callID)
      passed.delete(input.callID)
      const call = { tool: input.tool, args: input.args ?? before?.args, callID: input.callID, sessionID: input.sessionID }
      const answer = await ask("tool.execute.after", call)
      for (const remark of [before?.remark, answer.remark]) {
        if (remark && output) append(output, remark)
      }
    },

    event: async ({ event }) => {
      const about = event.properties ?? {}
      const sessionID = about.sessionID ?? about.info?.id
      if (event.type === "session.created" && sessionID) {
        roots.set(sessionID, about.info?.parentID ? rootOf(about.info.parentID) : Promise.resolve(sessionID))
      }
      if (SESSION.has(event.type) && sessionID) await ask(event.type, { sessionID })
      if (event.type === "message.part.updated") await failed(about.part)
    },

    dispose: async () => {
      await Promise.all([...acting].map((sessionID) => ask("dispose", { sessionID })))
    },
  }

  function mayWrite(tool) {
    return TOOLS.has(tool) || MCP.test(tool)
  }

  // The result of an MCP server is a list of parts.
  function append(output, remark) {
    if (Array.isArray(output.content)) output.content.push({ type: "text", text: remark })
    else output.output = `${output.output ?? ""}\n\n${remark}`
  }

  // A tool that fails gets no "after"; its failure shows only as the state of a message part.
  async function failed(part) {
    const call = part?.type === "tool" && part.state?.status === "error" ? passed.get(part.callID) : undefined
    if (!call) return
    passed.delete(part.callID)
    await ask("tool.failed", { tool: call.tool, args: call.args, callID: call.callID, sessionID: call.sessionID })
  }

  async function ask(event, about) {
    const root = await rootOf(about.sessionID)
    if (event.startsWith("tool.")) acting.add(root)
    return question({ event, parentID: root === about.sessionID ? "" : root, directory, ...about })
  }

  function rootOf(sessionID) {
    if (!roots.has(sessionID)) roots.set(sessionID, lookUp(sessionID))
    return roots.get(sessionID)
  }

  // For a session that is older than this process, opencode itself knows the parent.
  async function lookUp(sessionID) {
    let timer
    const patience = new Promise((resolve) => (timer = setTimeout(resolve, LOOKUP_MS)))
    try {
      const found = await Promise.race([client.session.get({ path: { id: sessionID } }), patience])
      const parentID = found?.data?.parentID
      return parentID && parentID !== sessionID ? await rootOf(parentID) : sessionID
    } catch {
      return sessionID
    } finally {
      clearTimeout(timer)
    }
  }

  function question(payload) {
    return new Promise((resolve) => {
      let said = ""
      let words = ""
      const child = spawn(COMMAND[0], COMMAND.slice(1), { cwd: directory, stdio: ["pipe", "pipe", "pipe"] })
      asking.add(child)
      const done = (answer) => (asking.delete(child), resolve(answer))
      child.stdout.on("data", (data) => (said += data))
      child.stderr.on("data", (data) => (words += data))
      child.stdin.on("error", () => {}) // it may end without reading
      child.on("error", (fault) => done(complain(`cannot run ${COMMAND[0]}: ${fault.message}`)))
      child.on("close", (code) => done(code === 0 ? parse(said) : complain(`the hook ended with ${code}: ${words.trim()}`)))
      child.stdin.end(JSON.stringify(payload))
    })
  }

  function parse(said) {
    try {
      return said.trim() ? Object(JSON.parse(said)) : {}
    } catch {
      return complain(`the hook answered ${JSON.stringify(said.slice(0, 200))}`)
    }
  }

  function complain(message) {
    if (!complained) {
      complained = true
      const body = { service: "jit", level: "warn", message: `jit does not guard this session's edits: ${message}` }
      Promise.resolve(client.app.log({ body })).catch(() => {})
    }
    return {}
  }
}
