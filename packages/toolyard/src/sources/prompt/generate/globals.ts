/** What a handler finds besides `args` and `fetch`: the language itself, and what the sandbox has of the web. */

const LANGUAGE =
  "undefined NaN Infinity Object Array String Number Boolean BigInt Symbol Math JSON Date RegExp Map Set WeakMap WeakSet WeakRef Promise Proxy Reflect Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError ArrayBuffer DataView Uint8Array Uint8ClampedArray Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array BigInt64Array BigUint64Array Iterator parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent encodeURI decodeURI arguments"
const WEB =
  "fetch console URL URLSearchParams TextEncoder TextDecoder Headers crypto structuredClone atob btoa setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask"

const KNOWN: ReadonlySet<string> = new Set(`${LANGUAGE} ${WEB}`.split(" "))

export function isKnownGlobal(name: string): boolean {
  return KNOWN.has(name)
}

/** For the model. */
export const WEB_GLOBALS = WEB.split(" ").filter(name => name !== "fetch")
