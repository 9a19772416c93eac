/** Repositories on GitHub are read through the text of their README, not through the page around it. */

export const GITHUB_RAW = "https://raw.githubusercontent.com"

const README_NAMES = ["README.md", "readme.md", "Readme.md", "README.rst", "README.txt", "README", "docs/README.md"]
const OWNER = /^[a-z\d](?:[a-z\d-]{0,38})$/i
const REPOSITORY = /^[\w.-]{1,100}$/

/** Where the text may be, in the order to try; none when the address is not a repository's. */
export function rawAddresses(url: URL, base = GITHUB_RAW): URL[] {
  if (!/^(?:www\.)?github\.com\.?$/.test(url.hostname)) return []
  const [owner = "", name = "", kind, ref, ...path] = url.pathname.split("/").filter(part => part !== "")
  const repository = name.replace(/\.git$/, "")
  if (!OWNER.test(owner) || !REPOSITORY.test(repository) || /^\.*$/.test(repository)) return []
  const root = `${base.replace(/\/$/, "")}/${owner}/${repository}`
  if (kind === undefined) return README_NAMES.map(file => new URL(`${root}/HEAD/${file}`))
  if (ref === undefined) return []
  if (kind === "blob" && path.length > 0) return [new URL(`${root}/${ref}/${path.join("/")}`)]
  if (kind === "tree") return README_NAMES.map(file => new URL(`${root}/${[ref, ...path, file].join("/")}`))
  return []
}
