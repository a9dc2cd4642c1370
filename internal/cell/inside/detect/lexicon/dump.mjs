// Prints, as JSON, what the word list needs of two npm packages that keep their data in
// JavaScript. Called by build.go: node dump.mjs FAKER_DIR ZIPCODES_DIR
import { pathToFileURL } from 'node:url'

const [fakerDir, zipDir] = process.argv.slice(2)
const { allLocales } = await import(pathToFileURL(`${fakerDir}/dist/index.js`))
const { default: zip } = await import(pathToFileURL(`${zipDir}/lib/codes.js`))

const given = new Set(), surnames = new Set(), cities = new Set(), words = new Set()
const latin = /^[\p{Script=Latin}' .-]+$/u
const add = (set, list) => { for (const s of list ?? []) if (typeof s === 'string' && latin.test(s)) set.add(s) }
const people = (set, byGender) => { for (const k of ['generic', 'female', 'male']) add(set, byGender?.[k]) }

for (const [code, locale] of Object.entries(allLocales)) {
  people(given, locale.person?.first_name)
  people(given, locale.person?.middle_name)
  people(surnames, locale.person?.last_name)
  if (code !== 'en') add(cities, locale.location?.city_name)
  if (/^(de|fr|es|it|nl|pt)/.test(code)) for (const list of Object.values(locale.word ?? {})) add(words, list)
}
const us = new Set(Object.values(zip.codes).map((c) => c.city))
const out = { given, surnames, cities, words, us }
for (const k in out) out[k] = [...out[k]].sort()
console.log(JSON.stringify(out))
