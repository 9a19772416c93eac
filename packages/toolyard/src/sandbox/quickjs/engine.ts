/**
 * QuickJS in WebAssembly. A machine's whole state is its memory, so a machine that has been used is made new by putting
 * back the picture of its memory taken before any script was there: a tenth of the cost of making another.
 */
import { readFile } from "node:fs/promises"
import { zstdCompressSync, zstdDecompressSync } from "node:zlib"
import { type ExtensionDescriptor, JSException, type JSValueHandle, QuickJS, type QuickJSOptions } from "quickjs-wasi"
import type { Engine, Vm, VmFailure, VmHost } from "../engine.ts"
import { EXTENSIONS } from "./engine-paths.ts"
import { guest } from "./guest.ts"
import { type Picture, takePicture } from "./picture.ts"

const STACK_BYTES = 256 * 1024
/** Room that a small script finds without growing the memory; a grown machine can't be made new. */
const HEADROOM_BYTES = 1024 * 1024
const SEND = "toolyard:send"
/** How the engine tells what a microtask threw. */
const JOB_FAILED = "Job execution error: "

interface Machine {
  vm: QuickJS
  memory: { readonly buffer: ArrayBuffer }
  /** What scripts may use of it. */
  memoryBytes: number
}

/** Handles survive in a snapshot as plain numbers. */
interface Doors {
  run: number
  answer: number
  settle: number
}

export async function createQuickJsEngine(paths: string[], memoryBytes: number): Promise<Engine> {
  const [wasm, ...extensions] = await Promise.all(
    paths.map(async path => WebAssembly.compile(new Uint8Array(await readFile(path)))),
  )
  const descriptors = extensions.map(
    (module, index): ExtensionDescriptor => ({ name: EXTENSIONS[index] as string, wasm: module }),
  )

  let common: { places: string; picture: Picture } | undefined

  const options = (host: () => VmHost, onMemory: (memory: Machine["memory"]) => void): QuickJSOptions => ({
    wasm: wasm as WebAssembly.Module,
    extensions: descriptors,
    memoryLimit: memoryBytes,
    maxStackSize: STACK_BYTES,
    timezoneOffset: 0,
    interruptHandler: () => host().interrupt(),
    moduleLoader: { load: loadModule },
    wasi: memory => {
      onMemory(memory as unknown as Machine["memory"])
      // What the engine itself would print goes nowhere: the process has no output but its frames.
      return { fd_write: () => 0 }
    },
  })

  const listen = (vm: QuickJS, host: () => VmHost) =>
    function send(...[kind, id, payload]: JSValueHandle[]): JSValueHandle {
      const what = (kind as JSValueHandle).toString()
      const number = (id as JSValueHandle).toNumber()
      const text = (payload as JSValueHandle).toString()
      let answer: string | undefined
      if (number > 0) answer = host().call(number, what, text)
      else if (number < 0) host().log(what, text)
      else if (what === "names") answer = host().names(JSON.parse(text) as string | undefined)
      else host().end(what as "value" | "error" | "stuck", text)
      return answer === undefined ? vm.undefined : vm.newString(answer)
    }

  return {
    name: "quickjs",
    async create(host) {
      let memory: Machine["memory"] | undefined
      const vm = await QuickJS.create(options(host, made => (memory = made)))
      const send = vm.newFunction(SEND, listen(vm, host))
      const make = vm.evalCode(`(${guest})`, "toolyard")
      const made = vm.callFunction(make, vm.undefined, send)
      const doors = {
        run: vm.exportHandle(made.getProp("run")),
        answer: vm.exportHandle(made.getProp("answer")),
        settle: vm.exportHandle(made.getProp("settle")),
      }
      for (const handle of [send, make, made]) handle.dispose()
      vm.evalCode(`void Array.from({ length: ${HEADROOM_BYTES / 65536} }, () => new Uint8Array(65536))`).dispose()
      vm.runGC()
      // The handles that stand for constants are made now, to be part of the picture.
      const constants = [vm.global, vm.undefined, vm.null, vm.true, vm.false].map(handle => vm.exportHandle(handle))
      const machine = { vm, memory: memory as Machine["memory"], memoryBytes }
      const own = { places: [...Object.values(doors), ...constants].join(), bytes: machine.memory.buffer.byteLength }
      // Machines are made alike, so that one picture does for all of them; if one is not, it has its own.
      if (common?.places !== own.places || common.picture.bytes !== own.bytes) {
        const picture = takePicture(new Uint8Array(machine.memory.buffer))
        common ??= { places: own.places, picture }
        return createVm(machine, doors, host, picture)
      }
      common.picture.putBack(new Uint8Array(machine.memory.buffer))
      return createVm(machine, doors, host, common.picture)
    },
    async restore(snapshot, host) {
      const raw = zstdDecompressSync(snapshot)
      const view = new DataView(raw.buffer, raw.byteOffset)
      const doors = { run: view.getUint32(0), answer: view.getUint32(4), settle: view.getUint32(8) }
      let memory: Machine["memory"] | undefined
      const vm = await QuickJS.restore(
        QuickJS.deserializeSnapshot(new Uint8Array(raw.subarray(12))),
        options(host, made => (memory = made)),
      )
      vm.registerHostCallback(SEND, listen(vm, host))
      return createVm({ vm, memory: memory as Machine["memory"], memoryBytes }, doors, host, undefined)
    },
  }
}

/** Without a picture of when it was new, a machine is used once. */
function createVm(
  { vm, memory, memoryBytes }: Machine,
  doors: Doors,
  host: () => VmHost,
  picture: Picture | undefined,
): Vm {
  let broken = false

  /** Calls into the machine and lets it go on until it waits. */
  const step = (work: () => void): VmFailure | undefined => {
    try {
      work()
      vm.executePendingJobs()
      call(doors.settle)
      return undefined
    } catch (error) {
      broken = true
      const failure = failureOf(error)
      // An extension that finds no memory gives up in its own way.
      if (failure?.startsWith("trap") && memory.buffer.byteLength > memoryBytes) return "memory"
      if (failure !== undefined) return failure
      // A script that does not even begin, or a timer's or microtask's function that throws.
      const { name, message, stack } = error as Error
      const thrown =
        error instanceof JSException ? { name, message, stack } : { message: message.slice(JOB_FAILED.length) }
      host().end("error", JSON.stringify(thrown))
      return undefined
    }
  }
  const call = (door: number, ...args: JSValueHandle[]): void => {
    const handle = vm.importHandle(door)
    vm.callFunction(handle, vm.undefined, ...args).dispose()
    handle.dispose()
    for (const arg of args) arg.dispose()
  }
  return {
    start: ({ code, input, seed }) =>
      step(() => call(doors.run, vm.evalCode(code, "script"), vm.newString(input ?? ""), vm.newNumber(seed))),
    answer: (id, ok, json) =>
      step(() => call(doors.answer, vm.newNumber(id), ok ? vm.true.dup() : vm.false.dup(), vm.newString(json))),
    snapshot() {
      const head = Buffer.alloc(12)
      head.writeUInt32BE(doors.run, 0)
      head.writeUInt32BE(doors.answer, 4)
      head.writeUInt32BE(doors.settle, 8)
      return zstdCompressSync(Buffer.concat([head, QuickJS.serializeSnapshot(vm.snapshot())]))
    },
    reset() {
      if (broken || memory.buffer.byteLength !== picture?.bytes) return false
      picture.putBack(new Uint8Array(memory.buffer))
      return true
    },
    dispose: () => vm.dispose(),
  }
}

/** Undefined for what the script itself threw. */
function failureOf(error: unknown): VmFailure | undefined {
  const message = error instanceof Error ? error.message : String(error)
  if (/interrupted/.test(message)) return "interrupted"
  if (/out of memory|malloc failed/.test(message)) return "memory"
  if (/call stack|stack overflow/i.test(message)) return "stack"
  return error instanceof JSException || message.startsWith(JOB_FAILED) ? undefined : `trap: ${message}`
}

function loadModule(name: string): string {
  if (name === "toolyard")
    return "const { tools, search, results, input, ToolError } = globalThis; export { tools, search, results, input, ToolError }"
  const error = new Error(
    `"${name}" cannot be imported in the sandbox: only "toolyard" can; what else is needed is a tool`,
  )
  // It is shown to the script, which need not know where we are.
  error.stack = ""
  throw error
}
