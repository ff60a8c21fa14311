// The geometry of the plot of a device's history. Pure.

import { inUnit } from "../common/texts.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1_440, 2_880, 10_080].map((n) => n * MINUTE);
const SHORTEST = 2 * MINUTE;
/** The space around the plot in pixels: temperature labels, time labels, and the band of on and off. */
export const FRAME = { left: 34, right: 10, top: 10, bottom: 44, band: 10 };

/**
 * @typedef {object} Plot
 * @property {{path: string, area: string}[]} lines The temperature; a gap in time separates lines.
 * @property {{x, width, isOn, target: number | null}[]} spans Of one setting each; `target` is a height.
 * @property {{x, text}[]} times
 * @property {{y, text}[]} temperatures
 * @property {{x, y, at, temperature}[]} points In the user's unit, from left to right.
 * @property {string} summary A summary as a sentence.
 */

/**
 * The plot of a history; null without readings.
 *
 * @param {{measurements, changes}} past
 * @param {{now: number, unit: "C" | "F", width: number, height: number, eastOfUTC: number,
 *   timeText: (at: number, isDay: boolean) => string}} how Times in milliseconds, sizes in pixels.
 * @returns {Plot | null}
 */
export function plotOf({ measurements, changes }, how) {
    const measured = measurements.filter((one) => one.temperature !== null && one.at <= how.now)
        .map((one) => ({ at: one.at, temperature: inUnit(one.temperature, how.unit) }));
    if (measured.length === 0) return null;
    const start = Math.min(measured[0].at, how.now - SHORTEST);
    const across = scale(start, how.now, FRAME.left, how.width - FRAME.right);
    const settings = spansOf(changes, start, how.now);
    const values = [...measured.map((one) => one.temperature), ...settings.map((one) => one.target)]
        .filter((value) => value !== null);
    const [low, high] = boundsOf(values);
    const up = scale(low, high, how.height - FRAME.bottom, FRAME.top);
    const points = thinned(measured.map((one) => ({ x: across(one.at), y: up(one.temperature), ...one })));
    return {
        lines: linesOf(points, how.height - FRAME.bottom),
        spans: settings.map(({ from, to, isOn, target }) => ({
            x: across(from), width: Math.max(1, across(to) - across(from)), isOn,
            target: target === null ? null : up(target),
        })),
        times: timesOf(start, how).map((at) => ({ x: across(at.at), text: at.text })),
        temperatures: temperaturesOf(low, high).map((value) => ({ y: up(value), text: `${value}°` })),
        points,
        summary: sentence(measured, settings, how),
    };
}

function scale(low, high, from, to) {
    return (value) => Math.round((from + (value - low) / (high - low) * (to - from)) * 10) / 10;
}

/** The bounds of the temperature axis in whole degrees, at least four apart. */
function boundsOf(values) {
    const least = values.reduce((one, other) => Math.min(one, other));
    const most = values.reduce((one, other) => Math.max(one, other));
    const [low, high] = [Math.floor(least - 0.3), Math.ceil(most + 0.3)];
    const missing = Math.max(0, 4 - (high - low));
    return [low - Math.floor(missing / 2), high + Math.ceil(missing / 2)];
}

/** The spans between changes; the time before the first change has none. */
function spansOf(changes, start, now) {
    return changes.map((change, index) => ({
        from: Math.max(start, change.at),
        to: Math.min(now, changes[index + 1]?.at ?? now),
        isOn: change.on,
        target: change.on && change.mode !== "fan" ? change.targetTemperature : null,
    })).filter((span) => span.to >= span.from && span.to >= start);
}

/** Reduces points in the same pixel column to the lowest and the highest. */
function thinned(points) {
    const sampled = [];
    for (let index = 0; index < points.length;) {
        const column = Math.floor(points[index].x);
        let [low, high] = [points[index], points[index]];
        for (; index < points.length && Math.floor(points[index].x) === column; index += 1) {
            if (points[index].y > low.y) low = points[index];
            if (points[index].y < high.y) high = points[index];
        }
        sampled.push(...(low === high ? [low] : [low, high].sort((one, other) => one.at - other.at)));
    }
    return sampled;
}

/** Connects consecutive points; longer gaps have no line. */
function linesOf(points, floor) {
    const gaps = points.slice(1).map((point, index) => point.at - points[index].at).sort((a, b) => a - b);
    const longest = Math.max(MINUTE, 5 * (gaps[Math.floor(gaps.length / 2)] ?? 0));
    const runs = [];
    for (const point of points) {
        const last = runs.at(-1);
        if (last !== undefined && point.at - last.at(-1).at <= longest) last.push(point);
        else runs.push([point]);
    }
    return runs.map((run) => {
        const path = run.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`).join("");
        const end = run.length === 1 ? "h0.1" : "";
        return { path: path + end, area: `${path}V${floor}H${run[0].x}Z` };
    });
}

function timesOf(start, { now, width, eastOfUTC, timeText }) {
    const most = Math.max(2, Math.floor((width - FRAME.left - FRAME.right) / 72));
    const step = STEPS.find((one) => (now - start) / one <= most) ?? STEPS.at(-1);
    const times = [];
    for (let at = Math.ceil((start + eastOfUTC) / step) * step - eastOfUTC; at <= now; at += step) {
        if (times.length >= 50) break;
        times.push({ at, text: timeText(at, step >= 24 * HOUR) });
    }
    return times;
}

function temperaturesOf(low, high) {
    const step = [1, 2, 5, 10, 20, 50].find((one) => (high - low) / one <= 5) ?? 100;
    const values = [];
    for (let value = Math.ceil(low / step) * step; value <= high && values.length < 50; value += step) {
        values.push(value);
    }
    return values;
}

function sentence(measured, settings, { unit }) {
    const values = measured.map((one) => one.temperature);
    const [least, most] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    const lengthOf = (spans) => spans.reduce((sum, one) => sum + one.to - one.from, 0);
    const on = lengthOf(settings.filter((one) => one.isOn));
    const share = Math.round(100 * on / Math.max(1, lengthOf(settings)));
    return `Room temperature between ${least.toFixed(1)} and ${most.toFixed(1)} °${unit}, `
        + `now ${values.at(-1).toFixed(1)} °${unit}; on for ${share} % of the time.`;
}
