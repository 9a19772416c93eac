/** Words that people and tool authors use for the same thing. General on purpose: nothing here knows any one server. */
import { toStem } from "./tokenize.ts"

const GROUPS = `
create add new make insert
delete remove erase drop
update edit modify change
list show get fetch retrieve view display
search find query lookup locate
send post submit
write save store
copy duplicate clone
run execute launch start
stop cancel terminate kill
check verify validate test
convert transform
analyze analysis examine inspect
calculate compute math
summarize summary digest
file document
folder directory
image picture photo
video movie film
music song audio sound
email mail
website site webpage url
repository repo
issue ticket bug
calendar schedule event appointment meeting
weather forecast climate
news article headline
price cost quote
buy purchase shop
stock share equity
job career vacancy employment
restaurant food meal dining
travel trip vacation journey
hotel accommodation lodging
location place address
route direction navigation
chart graph plot diagram
database db sql
user account member
company business organization firm
`

/** Each stem with the stems that may stand for it. */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = toTable(GROUPS)

function toTable(groups: string): Map<string, string[]> {
  const table = new Map<string, string[]>()
  for (const line of groups.trim().split("\n")) {
    const stems = [...new Set(line.split(" ").map(toStem))]
    for (const stem of stems) {
      const others = stems.filter(other => other !== stem)
      table.set(stem, [...(table.get(stem) ?? []), ...others])
    }
  }
  return table
}
