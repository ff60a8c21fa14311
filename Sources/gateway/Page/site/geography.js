// Positions, distances and directions on the Earth. Pure.

import { PLACES } from "./places.js";

/** The Earth's mean radius in kilometres (IUGG). */
const RADIUS = 6_371;
/** The map's width and height: two units per degree. */
export const WIDTH = 720;
export const HEIGHT = 360;

const WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
const radians = (degrees) => degrees * Math.PI / 180;

/** The position on the map, in the plate carrée projection. */
export function point(latitude, longitude) {
    return { x: (longitude + 180) * WIDTH / 360, y: (90 - latitude) * HEIGHT / 180 };
}

export function points() {
    return PLACES.map(([, latitude, longitude]) => point(latitude, longitude));
}

/** The distance of two places in kilometres (haversine formula). */
export function distance([latitude, longitude], [otherLatitude, otherLongitude]) {
    const [north, east] = [radians(otherLatitude - latitude), radians(otherLongitude - longitude)];
    const half = Math.sin(north / 2) ** 2
        + Math.cos(radians(latitude)) * Math.cos(radians(otherLatitude)) * Math.sin(east / 2) ** 2;
    return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** The initial direction from one place to another: one of eight. */
export function direction([latitude, longitude], [otherLatitude, otherLongitude]) {
    const east = radians(otherLongitude - longitude);
    const [from, to] = [radians(latitude), radians(otherLatitude)];
    const angle = Math.atan2(
        Math.sin(east) * Math.cos(to),
        Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(east));
    return WINDS[(Math.round(angle / (Math.PI / 4)) + 8) % 8];
}

/** The nearest known place, its distance, and the direction from it. */
export function nearest(latitude, longitude) {
    const here = [latitude, longitude];
    let best = { name: "", kilometres: Infinity, wind: "" };
    for (const [name, north, east] of PLACES) {
        const kilometres = distance(here, [north, east]);
        if (kilometres < best.kilometres) best = { name, kilometres, wind: direction([north, east], here) };
    }
    return best;
}

/**
 * A position in words: `About 40 km north-east of Oslo`.
 *
 * The coordinates of known places have a precision of a tenth of a degree, about ten kilometres.
 */
export function placeText({ name, kilometres, wind }) {
    if (kilometres < 15) return `In or near ${name}`;
    return `About ${Math.round(kilometres / 10) * 10} km ${wind} of ${name}`;
}
