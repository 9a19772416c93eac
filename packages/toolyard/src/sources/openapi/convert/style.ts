/** How the value of a parameter is written on the wire. */
import type { JsonObject } from "../../../model/json.ts"
import type { ParameterPlan } from "../operation.ts"

type Written = Pick<ParameterPlan, "style" | "explode" | "allowReserved">

const STYLES: Record<ParameterPlan["in"], readonly ParameterPlan["style"][]> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
}

export function toStyle(
  parameter: JsonObject,
  place: ParameterPlan["in"],
  schema: JsonObject,
  isSwagger: boolean,
  complain: (code: string, text: string) => void,
): Written {
  const allowReserved = parameter.allowReserved === true
  const [usual] = STYLES[place] as [ParameterPlan["style"]]
  const { collectionFormat } = parameter
  if (typeof collectionFormat === "string" || isSwagger) {
    const isList = schema.type === "array"
    if (collectionFormat === "tsv") complain("tab_separated", "tabs can't be used to separate values: commas are")
    if (place !== "query" || !isList) return { style: usual, explode: false, allowReserved }
    if (collectionFormat === "multi") return { style: "form", explode: true, allowReserved }
    if (collectionFormat === "ssv") return { style: "spaceDelimited", explode: false, allowReserved }
    if (collectionFormat === "pipes") return { style: "pipeDelimited", explode: false, allowReserved }
    return { style: "form", explode: false, allowReserved }
  }
  const given = STYLES[place].find(style => style === parameter.style)
  if (parameter.style !== undefined && !given && parameter.style !== "cookie") {
    complain("bad_style", `the style ${JSON.stringify(parameter.style)} is not for the ${place}: ${usual} is used`)
  }
  const style = given ?? usual
  const explode =
    typeof parameter.explode === "boolean" ? parameter.explode : style === "form" || style === "deepObject"
  return { style, explode, allowReserved }
}
