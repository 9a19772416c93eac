import { describe, expect, it } from "vitest"
import { isListed, promptHosts, toWhitelist } from "./whitelist.ts"

const of = (prompt: string, ...pageUrls: string[]) =>
  toWhitelist(
    prompt,
    pageUrls.map(url => new URL(url)),
  )

describe("the whitelist", () => {
  it("B6 is the hosts of the prompt and of its pages, sorted, each once, ports kept", () => {
    const { hosts, warnings } = of(
      "See https://Docs.Example/a, https://docs.example/b and http://b.example:8080/x",
      "https://api.docs.example/v1",
      "https://bücher.example/",
      "https://docs.example./c",
      "https://api.example:8443/",
    )
    expect(hosts).toEqual([
      "api.docs.example",
      "api.example:8443",
      "b.example:8080",
      "docs.example",
      "xn--bcher-kva.example",
    ])
    expect(warnings).toEqual([])
  })

  it.each([
    "http://localhost:3000/",
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://10.1.2.3/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://168.63.129.16/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://intranet/",
    "http://app.localhost/",
    "https://com/",
  ])("B6 has nothing internal that only a page names: %s", url => {
    const { hosts, warnings } = of("https://docs.example/", url)
    expect(hosts).toEqual(["docs.example"])
    expect(warnings).toEqual([expect.stringContaining("internal addresses named by pages are not allowed")])
  })

  it("B6 has internal hosts that the prompt names itself", () => {
    expect(of("http://localhost:3000/ http://10.0.0.1/docs", "http://10.0.0.1/x").hosts).toEqual([
      "10.0.0.1",
      "localhost:3000",
    ])
    expect(promptHosts("no address")).toEqual([])
  })

  it("B6 keeps to a length, whatever a page says", () => {
    const { hosts, warnings } = of(
      "https://z.example/",
      ...Array.from({ length: 1500 }, (_, n) => `https://h${n}.example/`),
    )
    expect(hosts.length).toBe(1001)
    expect(hosts).toContain("z.example")
    expect(warnings).toEqual([expect.stringContaining("500 addresses were left out")])
  })

  it("B6 covers subdomains, not parents or neighbours, and the port it names", () => {
    const listed = (url: string) => isListed(new URL(url), ["api.example", "b.example:8080"])
    expect(["https://api.example/", "https://eu.api.example:444/", "http://b.example:8080/"].map(listed)).toEqual([
      true,
      true,
      true,
    ])
    expect(
      ["https://example/", "https://myapi.example/", "https://b.example/", "https://api.example.evil/"].map(listed),
    ).toEqual([false, false, false, false])
  })
})
