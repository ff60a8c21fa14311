// Runs the published client of homebridge-sensibo-sky, compiled from TypeScript without changes.
//
// usage: homebridge_sensibo_sky.cjs SOURCES KEY DEVICE
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs")
const { tmpdir } = require("node:os")
const { join } = require("node:path")
const typescript = require("typescript")

const [sources, key, device] = process.argv.slice(2)

function expect(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`)
  console.log(what)
}

/** Loads a module by name, with the modules beside it that it imports. */
function loaded(name, ...others) {
  const place = mkdtempSync(join(tmpdir(), "sky-"))
  const options = { module: typescript.ModuleKind.CommonJS, esModuleInterop: true, target: typescript.ScriptTarget.ES2019 }
  for (const file of [name, ...others]) {
    const source = readFileSync(join(sources, "src/lib", `${file}.ts`), "utf8")
    const { outputText } = typescript.transpileModule(source, { compilerOptions: options })
    writeFileSync(join(place, `${file}.js`), outputText)
  }
  const module = require(join(place, `${name}.js`))
  rmSync(place, { recursive: true })
  return module
}

async function main() {
  const { SensiboClient } = loaded("sensiboClient", "temperature")
  const client = new SensiboClient(key)
  const pod = (await client.getPods()).find(one => one.id === device)
  expect(pod.room.name, "lists pods with rooms")
  const state = await client.getAcState(device)
  expect(state && typeof state.on === "boolean", "reads the state of a pod without changes")
  const after = await client.submitState(device, { ...state, on: !state.on })
  expect(after.on === !state.on && (await client.getAcState(device)).on === after.on, "sets a state")
  const [measured] = await client.getMeasurements(device)
  expect(measured.time.secondsAgo >= 0 && typeof measured.temperature === "number", "measures")
  const refused = await new SensiboClient("0".repeat(64)).getPods().then(() => null, error => error.message)
  expect(refused === "Unexpected status code: 403", "gets a 403 for a wrong key")
}

main().catch(error => {
  console.error(error.message ?? error)
  process.exitCode = 1
})
