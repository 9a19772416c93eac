import { BlockList, isIPv4 } from "node:net"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { internalRange } from "./address.ts"

const INTERNAL = [
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["100.64.0.1", "carrierGradeNat"],
  ["100.100.100.200", "carrierGradeNat"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["168.63.129.16", "metadata"],
  ["169.254.169.254", "linkLocal"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.0.0.192", "reserved"],
  ["192.168.1.1", "private"],
  ["198.18.0.1", "reserved"],
  ["224.0.0.1", "multicast"],
  ["240.0.0.1", "reserved"],
  ["255.255.255.255", "broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["::127.0.0.1", "reserved"],
  ["::8.8.8.8", "reserved"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:a9fe:a9fe", "linkLocal"],
  ["::ffff:0:127.0.0.1", "rfc6145"],
  ["64:ff9b::10.0.0.1", "private"],
  ["64:ff9b::a9fe:a9fe", "linkLocal"],
  ["64:ff9b:1::1", "rfc6052"],
  ["100::1", "discard"],
  ["2001::1", "teredo"],
  ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "teredo"],
  ["2001:db8::1", "reserved"],
  ["2002:7f00:1::1", "6to4"],
  ["2002:a9fe:a9fe::", "6to4"],
  ["fc00::1", "uniqueLocal"],
  ["fd00:ec2::254", "uniqueLocal"],
  ["fe80::1", "linkLocal"],
  ["fe80::1%eth0", "linkLocal"],
  ["fec0::1", "deprecatedSiteLocal"],
  ["ff02::1", "multicast"],
  ["4000::1", "reserved"],
  ["localhost", "unknown"],
  ["", "unknown"],
  ["0x7f.1", "unknown"],
] as const

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "2606:4700:4700::1111",
  "2a00:1450:4001:830::200e",
]

describe("the ranges of addresses", () => {
  it.each(INTERNAL)("T11 knows %s as %s", (address, range) => {
    expect(internalRange(address)).toBe(range)
  })

  it.each(PUBLIC)("lets %s pass", address => {
    expect(internalRange(address)).toBeUndefined()
  })

  it("T11 agrees with an independent list over all IPv4 addresses, also inside IPv6 ones", () => {
    const blocked = new BlockList()
    for (const [net, bits] of [
      ["0.0.0.0", 8],
      ["10.0.0.0", 8],
      ["100.64.0.0", 10],
      ["127.0.0.0", 8],
      ["169.254.0.0", 16],
      ["172.16.0.0", 12],
      ["192.0.0.0", 24],
      ["192.168.0.0", 16],
      ["198.18.0.0", 15],
      ["224.0.0.0", 3],
    ] as const) {
      blocked.addSubnet(net, bits, "ipv4")
    }
    const first = fc.oneof(
      fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 224, 255),
      fc.integer({ min: 0, max: 255 }),
    )
    const second = fc.oneof(fc.constantFrom(0, 16, 31, 64, 127, 168, 18, 254), fc.integer({ min: 0, max: 255 }))
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(first, second, byte, byte, (a, b, c, d) => {
        const address = `${a}.${b}.${c}.${d}`
        expect(isIPv4(address)).toBe(true)
        if (!blocked.check(address)) return
        for (const form of [
          address,
          `::ffff:${address}`,
          `64:ff9b::${address}`,
          `::${address}`,
          `[::ffff:${address}]`,
        ]) {
          expect(internalRange(form), form).toBeDefined()
        }
      }),
      { numRuns: 2000 },
    )
  })
})
