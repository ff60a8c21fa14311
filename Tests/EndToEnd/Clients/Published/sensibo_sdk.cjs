// Calls npm's sensibo-sdk, as published: lists, reads, sets and measures.
//
// usage: sensibo_sdk.cjs SOURCES KEY DEVICE
const { join } = require("node:path")

const [sources, key, device] = process.argv.slice(2)
const Client = require(join(sources, "src/SensiboClient.js"))

function expect(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`)
  console.log(what)
}

async function main() {
  const pods = await new Client(key).getPods()
  const pod = pods.find(one => one.id === device)
  expect(pod && pod.room.name, "lists pods with rooms")
  const state = await pod.getAcState()
  expect(typeof state.on === "boolean", "reads the state of a pod without changes")
  const after = await pod.setAcState({ on: !state.on })
  expect(after.on === !state.on && (await pod.getAcState()).on === after.on, "sets a state")
  const again = await pod.setAcState({ on: after.on })
  expect(again.on === after.on, "sets it again")
  expect(typeof (await pod.getMeasurements()).temperature === "number", "measures")
}

main().catch(error => {
  console.error(error.message ?? error)
  process.exitCode = 1
})
