/** Which addresses are the public internet's. Everything else is somebody's inside, and closed unless named. */
import ipaddr from "ipaddr.js"

type IPv4 = InstanceType<typeof ipaddr.IPv4>
type IPv6 = InstanceType<typeof ipaddr.IPv6>

/** All that the internet routes to single hosts, RFC 4291; special ranges within are told by ipaddr.js. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR("2000::/3")
/** Public by its number, yet it is the metadata service of the machine's own cloud (Azure). */
const METADATA_V4 = "168.63.129.16"

/** In a word, what keeps an address from being public; undefined when nothing does. */
export function internalRange(address: string): string | undefined {
  const plain = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "")
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return rangeOfV4(ipaddr.IPv4.parse(plain))
  const url = `http://[${plain}]/`
  // In hexadecimal only: ipaddr.js takes `::1.2.3.4` for `::ffff:1.2.3.4`, which is another address.
  return URL.canParse(url) ? rangeOfV6(ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1))) : "unknown"
}

function rangeOfV4(address: IPv4): string | undefined {
  if (address.toString() === METADATA_V4) return "metadata"
  const range = address.range()
  return range === "unicast" ? undefined : range
}

function rangeOfV6(address: IPv6): string | undefined {
  const range = address.range()
  // These two reach an IPv4 host, and are what it is; NAT64 is how networks without IPv4 reach all of it.
  if (range === "ipv4Mapped") return rangeOfV4(address.toIPv4Address())
  if (range === "rfc6052" && address.parts[2] === 0) return rangeOfV4(lastFourBytes(address))
  // 6to4, Teredo and the like also carry an IPv4 address; nobody serves anything there, so none of them passes.
  if (range !== "unicast") return range
  return address.match(GLOBAL_V6) ? undefined : "reserved"
}

function lastFourBytes(address: IPv6): IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}
