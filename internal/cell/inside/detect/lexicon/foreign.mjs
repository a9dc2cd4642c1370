// Prints, one on a line, the forms of French, Spanish and German words that three npm
// packages list. Rare forms of verbs and long words are left out: records hardly use them.
// Called by build.go: node foreign.mjs FRENCH_DIR SPANISH_DIR GERMAN_DIR
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const [frenchDir, spanishDir, germanDir] = process.argv.slice(2)

const french = require(`${frenchDir}/index.json`).filter(
  (w) => w.length <= 14 && !/(ss(ions|iez|ent)|âmes|âtes|îmes|îtes|ûmes|ûtes|[âîû]t|[ae]rions|[ae]riez)$/.test(w))
const spanish = require(`${spanishDir}/index.json`).filter(
  (w) => w.length <= 13 && (w.length < 6 ||
    !/([aáeéií]is|semos|[áé]ramos|[ai]e?ses?|[ai]e?sen|[aei]r[eií]a?mos|[aei]rían?s?|[aei]r[áa][ns]|iere?s?|ieren|ares|[ai]ste|aba[ns]|ara[ns]?|iera[ns]?|ecito|ecita|illos?|illas?|onazos?)$/.test(w)))

const lexicon = require(`${germanDir}/builds/de-compromise.cjs`).model().one.lexicon
const german = []
for (const [w, tags] of Object.entries(lexicon)) {
  const kind = [].concat(tags)[0]
  if (/Name|City|Country|Region|Place|Person/.test(kind) || /(st|et)$/.test(w) && kind === 'PastTense') continue
  german.push(w)
  if (kind === 'Adjective' || kind === 'Participle') for (const end of ['e', 'er', 'es', 'en', 'em']) german.push(w + end)
}
console.log([...french, ...spanish, ...german].join('\n'))
