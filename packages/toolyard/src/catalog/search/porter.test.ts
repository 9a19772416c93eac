import { expect, it } from "vitest"
import { stem } from "./porter.ts"

// The examples of Porter's paper, carried through all of its steps.
const EXAMPLES = `
caresses caress, ponies poni, ties ti, cats cat, feed feed, agreed agre, plastered plaster, bled bled, motoring motor,
sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss,
fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit, rational ration,
digitizer digit, operator oper, feudalism feudal, decisiveness decis, hopefulness hope, callousness callous,
formality formal, sensitivity sensit, sensibility sensibl, triplicate triplic, formative form, formalize formal,
electrical electr, hopeful hope, goodness good, revival reviv, allowance allow, inference infer, airliner airlin,
adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend,
adoption adopt, communism commun, activate activ, effective effect, bowdlerize bowdler, probate probat, rate rate,
cease ceas, controll control, roll roll, generalizations gener, oscillators oscil, as as, y y`

it.each(EXAMPLES.split(",").map(pair => pair.trim().split(" ") as [string, string]))(
  "stems %s to %s",
  (word, stemmed) => {
    expect(stem(word)).toBe(stemmed)
  },
)
