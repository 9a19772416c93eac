import { describe, expect, it } from "vitest"
import { type AllowEntry, allowList } from "./allow-list.ts"

const from = "sandbox.network"
const listOf = (...hosts: string[]) => allowList(hosts.map(host => ({ host, from })))
const verdict = (entry: string, url: string) => {
  const found = listOf(entry).match(new URL(url))
  return found ? (found.exact ? "exact" : "covered") : "no"
}

describe("the list of hosts", () => {
  it.each([
    ["example.com", "https://example.com/", "exact"],
    ["example.com", "https://example.com:8443/", "exact"],
    ["example.com", "https://api.example.com/", "covered"],
    ["example.com", "https://a.b.example.com/", "covered"],
    ["example.com", "https://EXAMPLE.com./", "exact"],
    ["Example.COM.", "https://example.com/", "exact"],
    ["*.example.com", "https://api.example.com/", "covered"],
    ["example.com:8443", "https://example.com:8443/", "exact"],
    ["example.com:443", "https://example.com/", "exact"],
    ["example.com:80", "http://example.com/", "exact"],
    ["https://example.com/x?y#z", "http://example.com/", "exact"],
    ["https://example.com:8443/x", "https://example.com:8443/", "exact"],
    ["bücher.example", "https://xn--bcher-kva.example/", "exact"],
    ["xn--bcher-kva.example", "https://BÜCHER.example/", "exact"],
    ["127.0.0.1", "http://127.0.0.1:9/", "exact"],
    ["127.0.0.1", "http://2130706433/", "exact"],
    ["127.0.0.1", "http://0x7f.1/", "exact"],
    ["[::1]", "http://[::1]:9/", "exact"],
    ["[::1]:9", "http://[0:0::1]:9/", "exact"],
    ["::1", "http://[::1]/", "exact"],
    ["localhost", "http://localhost/", "exact"],
    ["localhost", "http://a.localhost/", "covered"],
    ["*", "https://anything.example/", "covered"],
    ["*:443", "https://anything.example/", "covered"],
  ])("G11 %s opens %s (%s)", (entry, url, expected) => {
    expect(verdict(entry, url)).toBe(expected)
  })

  it.each([
    ["api.example.com", "https://example.com/"],
    ["api.example.com", "https://other.example.com/"],
    ["example.com", "https://badexample.com/"],
    ["example.com", "https://example.com.evil.test/"],
    ["example.com", "https://example.org/"],
    ["example.com", "https://evil.test/example.com"],
    ["example.com", "https://evil.test/?example.com"],
    ["example.com", "https://evil.test#.example.com"],
    ["example.com", "https://example.com../"],
    ["*.example.com", "https://example.com/"],
    ["example.com:8443", "https://example.com/"],
    ["example.com:443", "http://example.com/"],
    ["example.com:443", "https://example.com:4430/"],
    ["*:443", "http://anything.example/"],
    ["127.0.0.1", "http://127.0.0.2/"],
    ["127.0.0.1", "http://[::ffff:127.0.0.1]/"],
    ["127.0.0.1", "http://localhost/"],
    ["[::1]", "http://[::2]/"],
    ["", "https://example.com/"],
    [".", "https://example.com/"],
    ["ex*mple.com", "https://example.com/"],
    ["*.*", "https://example.com/"],
    ["user@example.com", "https://example.com/"],
    ["example.com:x", "https://example.com/"],
  ])("G11 %s does not open %s", (entry, url) => {
    expect(verdict(entry, url)).toBe("no")
  })

  it("takes the entry that names the very host, wherever it stands", () => {
    const list = listOf("*", "example.com", "api.example.com")
    expect(list.match(new URL("https://api.example.com/"))).toMatchObject({
      exact: true,
      entry: { host: "api.example.com" },
    })
  })

  it("B6 never takes what no person wrote for the name of an internal host", () => {
    const entry: AllowEntry = { host: "intranet.example", from: "a fetched page", publicOnly: true }
    expect(allowList([entry]).match(new URL("http://intranet.example/"))).toEqual({ entry, exact: false })
  })

  it("reports entries that name no host", () => {
    expect(listOf("example.com", "ex*mple.com", "").unusable.map(({ host }) => host)).toEqual(["ex*mple.com", ""])
  })
})
