// Tests of a client of Sensibo's API with Node's test runner: `node --test`. They need the command `sensibus`, or the
// one that SENSIBUS names, such as `fleet` of a clone.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, beforeEach, test } from "node:test";

let server;
let ready;

before(async () => {
  server = spawn(process.env.SENSIBUS ?? "sensibus", ["test-server", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
  // One line says where the server is; it ends with this process, however that ends.
  for await (const line of createInterface({ input: server.stdout })) {
    ready = JSON.parse(line);
    break;
  }
  assert.ok(ready, "the server did not start");
});
after(() => server.kill());
beforeEach(() => control("POST", "/reset"));

/** Sends a request to the control API, and returns its answer. */
async function control(method, path, body) {
  const answer = await fetch(ready.controlUrl + path, {
    method,
    headers: { Authorization: `Bearer ${ready.controlToken}` },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, text);
  return text && JSON.parse(text);
}

/** The client that is tested: returns the result of a request. */
async function ask(method, path, body) {
  const address = `${ready.url}/api/${path}${path.includes("?") ? "&" : "?"}apiKey=${ready.key}`;
  const answer = await fetch(address, { method, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()).result;
}

test("switches a device, with one request", async () => {
  await ask("PATCH", "v2/pods/VMe9BNPT/acStates/on", { newValue: true });
  const [bedroom] = (await control("GET", "/devices")).devices;
  assert.equal(bedroom.on, true);
  const pattern = { method: "PATCH", path: "/api/v2/pods/*/acStates/on", body: { newValue: true } };
  assert.equal((await control("POST", "/requests/matching", pattern)).count, 1);
});

test("reports an error of the cloud", async () => {
  await control("POST", "/faults", { fault: "cloud-error", status: 503, times: 1 });
  await assert.rejects(ask("GET", "v2/pods/VMe9BNPT"), /503/);
});

test("a timer switches off after three hours", async () => {
  await ask("PATCH", "v2/pods/VMe9BNPT/acStates/on", { newValue: true });
  await ask("PUT", "v1/pods/VMe9BNPT/timer/", { minutesFromNow: 180, acState: { on: false } });
  await control("PATCH", "/clock", { advance: "3h" });
  assert.equal((await ask("GET", "v2/pods/VMe9BNPT?fields=acState")).acState.on, false);
});
