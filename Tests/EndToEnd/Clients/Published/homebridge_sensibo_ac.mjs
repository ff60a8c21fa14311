// Runs the published client of homebridge-sensibo-ac with a platform that neither logs nor stores.
//
// usage: homebridge_sensibo_ac.mjs SOURCES KEY DEVICE
import { pathToFileURL } from "node:url"
import { join } from "node:path"

const [sources, key, device] = process.argv.slice(2)
const { default: connect } = await import(pathToFileURL(join(sources, "sensibo/SensiboAPI.js")))

function expect(holds, what) {
  if (!holds) throw new Error(`not so: ${what}`)
  console.log(what)
}

const silent = () => {}
const log = Object.assign(silent, {
  easyDebug: silent, devDebug: silent, info: silent, success: silent, warn: silent, error: silent,
})
const platform = {
  log, apiKey: key, PLUGIN_NAME: "homebridge-sensibo-ac", PLUGIN_VERSION: "3.0.2", locationsToInclude: [],
  devicesToExclude: [], storage: { getItem: async () => null, setItem: async () => {} },
}

try {
  const client = await connect(platform)
  const find = async () => (await client.getAllDevices()).find(one => one.id === device)
  const pod = await find()
  expect(pod.room.name && pod.remoteCapabilities.modes.cool && pod.location.occupancy, "lists devices")
  expect(pod.smartMode.enabled === false, "has no Climate React")
  const state = { ...pod.acState, on: !pod.acState.on }
  delete state.timestamp
  const set = await client.setDeviceACState(device, state)
  expect(set.result.status === "Success" && (await find()).acState.on === state.on, "sets a state")
  await client.syncDeviceState(device, !state.on)
  expect((await find()).acState.on === !state.on, "corrects a state")
  await client.setDeviceClimateReactState(device, { enabled: true })
  expect((await find()).smartMode.enabled === true, "switches on a Climate React that was never set")
  const side = { on: true, mode: "cool", targetTemperature: 22, temperatureUnit: "C", fanLevel: "auto" }
  await client.setDeviceClimateReactState(device, {
    ...(await find()).smartMode, type: "temperature", highTemperatureWebhook: null, lowTemperatureWebhook: null,
    highTemperatureState: side, highTemperatureThreshold: 89, lowTemperatureState: { ...side, on: false },
    lowTemperatureThreshold: -40,
  })
  expect((await find()).smartMode.highTemperatureThreshold === 89, "sets Climate React")
  await client.resetFilterIndicator(device)
  await client.setDevicePropertyState(device, "on", false)
  expect((await find()).acState.on === false, "sets a property")
} catch (error) {
  console.error(JSON.stringify(error.response ?? error.message ?? error))
  process.exitCode = 1
}
