/**
 * From the types of a module to the definitions of its tools, through the compiler itself. It blocks, so this belongs in
 * a process of the module's own.
 */
import { basename, dirname, extname, relative, resolve } from "node:path"
import type { Checker, Project } from "typescript/unstable/sync"
import type { ToolDefinition } from "../../../model/mcp.ts"
import type { DescribedFunction, ModuleDescription } from "../description.ts"
import { type ExportedFunction, exportedFunctions } from "./exported.ts"
import { moduleDoc, readFunctionDoc } from "./function-doc.ts"
import { describeParameters } from "./parameters.ts"
import { openModule } from "./project.ts"
import { describeReturns } from "./returns.ts"

export function describeModule(path: string): ModuleDescription {
  const { project, file, isOwn, close } = openModule(resolve(path))
  try {
    const { program, checker } = project
    const files = program.getSourceFileNames().filter(isOwn)
    const problems = files.flatMap(name => syntaxProblems(project, name, dirname(file)))
    const source = program.getSourceFile(file)
    if (!source) return { functions: [], files, problems: [...problems, `${basename(file)}: can't be read`] }
    const functions: DescribedFunction[] = []
    const names = new Set<string>()
    for (const exported of exportedFunctions(checker, source, file)) {
      const where = placeOf(exported, dirname(file))
      const described = describeFunction(checker, exported, basename(file, extname(file)))
      if (!described) continue
      const { name } = described.function.definition
      problems.push(...described.problems.map(problem => `${where}: ${name}: ${problem}`))
      if (names.has(name)) {
        problems.push(`${where}: ${name}: there is a tool of that name already`)
        continue
      }
      names.add(name)
      functions.push(described.function)
    }
    const description = moduleDoc(source)
    return { ...(description && { description }), functions, files, problems }
  } finally {
    close()
  }
}

function describeFunction(
  checker: Checker,
  exported: ExportedFunction,
  fileName: string,
): { function: DescribedFunction; problems: string[] } | undefined {
  const doc = readFunctionDoc(exported.doc)
  if (doc.hidden) return undefined
  const { plans, inputSchema, problems } = describeParameters(
    checker,
    exported.signature,
    exported.implementation,
    doc.parameters,
  )
  const { outputSchema, wrapped } = describeReturns(checker, exported.signature, doc.returns)
  const name = exported.name === "default" ? (exported.ownName ?? fileName.replace(/[^\w-]+/g, "_")) : exported.name
  // Where there is no output schema to say it.
  const returns = doc.returns && !outputSchema ? `Returns: ${doc.returns}` : undefined
  const description = [doc.text, returns].filter(Boolean).join("\n\n")
  const definition: ToolDefinition = {
    name,
    ...(doc.title && { title: doc.title }),
    ...(description && { description }),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(Object.keys(doc.annotations).length > 0 && { annotations: doc.annotations }),
  }
  return { function: { export: exported.name, definition, parameters: plans, wrapped }, problems }
}

function syntaxProblems({ program }: Project, file: string, folder: string): string[] {
  return program.getSyntacticDiagnostics(file).map(({ pos, text }) => {
    const at = program.getSourceFile(file)?.getLineAndCharacterOfPosition(pos)
    return `${relative(folder, file)}:${(at?.line ?? 0) + 1}:${(at?.character ?? 0) + 1}: ${text}`
  })
}

function placeOf({ declaration }: ExportedFunction, folder: string): string {
  if (!declaration) return "?"
  const source = declaration.getSourceFile()
  const start = declaration.getStart?.(source) ?? declaration.pos
  return `${relative(folder, source.fileName)}:${source.getLineAndCharacterOfPosition(start).line + 1}`
}
