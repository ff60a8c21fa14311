import assert from "node:assert/strict";
import { test } from "node:test";
import { FRAME, plotOf } from "../../Sources/gateway/Page/device/plot.js";

const HOW = {
    now: 3_600_000, unit: "C", width: 400, height: 200, eastOfUTC: 0, timeText: (at) => String(at / 60_000),
};
const change = (at, on, other = {}) =>
    ({ at, on, mode: "cool", targetTemperature: 22, cause: "request", ...other });

/** A whole history: one measurement per minute. */
function past(changes = [change(0, false)], temperature = (minute) => 20 + minute / 10) {
    const measure = (_, minute) => ({ at: minute * 60_000, temperature: temperature(minute), humidity: 40 });
    const measurements = Array.from({ length: 61 }, measure);
    return { measurements, changes };
}

test("a plot fits into its frame, from the oldest measurement to now", () => {
    const plot = plotOf(past([change(0, false), change(1_800_000, true)]), HOW);
    assert.equal(plot.points[0].x, FRAME.left);
    assert.equal(plot.points.at(-1).x, HOW.width - FRAME.right);
    for (const { y } of plot.points) assert.ok(y >= FRAME.top && y <= HOW.height - FRAME.bottom);
    assert.deepEqual(plot.spans.map(({ x, width, isOn, target }) => [x, width, isOn, target !== null]), [
        [34, 178, false, false], [212, 178, true, true],
    ]);
    assert.deepEqual(plot.times.map(({ text }) => text), ["0", "15", "30", "45", "60"]);
    assert.deepEqual(plot.temperatures.map(({ text }) => text), ["20°", "22°", "24°", "26°"]);
    const summary = "Room temperature between 20.0 and 26.0 °C, now 26.0 °C; on for 50 % of the time.";
    assert.equal(plot.summary, summary);
});

test("time marks are in the user's local time", () => {
    const plot = plotOf(past(), { ...HOW, eastOfUTC: 20 * 60_000 });
    assert.deepEqual(plot.times.map(({ text }) => text), ["10", "25", "40", "55"]);
});

test("a time without measurements has no line", () => {
    const whole = past();
    const measurements = whole.measurements.filter(({ at }) => at < 600_000 || at > 1_800_000);
    assert.equal(plotOf({ ...whole, measurements }, HOW).lines.length, 2);
    assert.equal(plotOf(whole, HOW).lines.length, 1);
});

test("a plot of many points has the highest and the lowest of each pixel", () => {
    const measurements = Array.from({ length: 3_600 }, (_, n) => ({
        at: n * 1_000, temperature: n === 1_777 ? 35 : n === 2_500 ? 5 : 20, humidity: 40,
    }));
    const { points } = plotOf({ measurements, changes: [] }, HOW);
    assert.ok(points.length <= 2 * HOW.width);
    assert.ok(points.some(({ temperature }) => temperature === 35));
    assert.ok(points.some(({ temperature }) => temperature === 5));
    assert.ok(points.every((point, index) => index === 0 || point.at > points[index - 1].at));
});

test("a plot has the user's unit, no target for a fan, and is absent without measurements", () => {
    const plot = plotOf(past([change(0, true, { targetTemperature: 72 })], () => 20), { ...HOW, unit: "F" });
    assert.equal(plot.points[0].temperature, 68);
    assert.notEqual(plot.spans[0].target, null);
    assert.equal(plotOf(past([change(0, true, { mode: "fan" })]), HOW).spans[0].target, null);
    assert.equal(plotOf({ measurements: [], changes: [] }, HOW), null);
    assert.equal(plotOf({ measurements: [{ at: 0, temperature: null }], changes: [] }, HOW), null);
});

test("extreme times or temperatures result in a bounded plot", () => {
    const measurements = [
        { at: -9e15, temperature: 1e9, humidity: 0 }, { at: 1, temperature: -1e9, humidity: 0 },
    ];
    const plot = plotOf({ measurements, changes: [change(-9e15, true)] }, HOW);
    assert.ok(plot.times.length <= 50 && plot.temperatures.length <= 50);
});
