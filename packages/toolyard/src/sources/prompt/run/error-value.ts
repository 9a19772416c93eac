/** How a handler may say that it failed without throwing. */
import { isObject } from "../../../model/json.ts"

const ABOUT = new Set([
  "error",
  "errors",
  "message",
  "status",
  "statusCode",
  "statusText",
  "code",
  "details",
  "body",
  "ok",
  "success",
  "hint",
])

/** `{ isError: true, … }`, or an object that holds an `error` and nothing but what belongs to one. */
export function isErrorValue(value: unknown): boolean {
  if (!isObject(value)) return false
  if (value.isError === true) return true
  const { error } = value
  const says = (typeof error === "string" && error !== "") || isObject(error) || error === true
  return says && Object.keys(value).every(key => ABOUT.has(key))
}
