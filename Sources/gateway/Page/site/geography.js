// Where places on the Earth are, on a map and to each other. Pure.

import { PLACES } from "./places.js";

/** Kilometres: the Earth's mean radius (IUGG). */
const RADIUS = 6_371;
/** The map's width and height: two for each degree. */
export const WIDTH = 720;
export const HEIGHT = 360;

const WINDS = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
const radians = (degrees) => degrees * Math.PI / 180;

/** Where a place is on a map on which degrees are as long everywhere (plate carrée). */
export function point(latitude, longitude) {
    return { x: (longitude + 180) * WIDTH / 360, y: (90 - latitude) * HEIGHT / 180 };
}

/** Every place by which the map is drawn, and where it is. */
export function points() {
    return PLACES.map(([, latitude, longitude]) => point(latitude, longitude));
}

/** Kilometres along the ground from one place to another (haversine formula). */
export function distance([latitude, longitude], [otherLatitude, otherLongitude]) {
    const [north, east] = [radians(otherLatitude - latitude), radians(otherLongitude - longitude)];
    const half = Math.sin(north / 2) ** 2
        + Math.cos(radians(latitude)) * Math.cos(radians(otherLatitude)) * Math.sin(east / 2) ** 2;
    return 2 * RADIUS * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** In which direction one sets out from one place to another: one of eight winds. */
export function direction([latitude, longitude], [otherLatitude, otherLongitude]) {
    const east = radians(otherLongitude - longitude);
    const [from, to] = [radians(latitude), radians(otherLatitude)];
    const angle = Math.atan2(
        Math.sin(east) * Math.cos(to),
        Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(east));
    return WINDS[(Math.round(angle / (Math.PI / 4)) + 8) % 8];
}

/** The known place that is closest, how far away, and in which direction from it one is. */
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
 * Where something is, in words: `About 40 km north-east of Oslo`.
 *
 * Places are known to a tenth of a degree, and so to some kilometres.
 */
export function placeWords({ name, kilometres, wind }) {
    if (kilometres < 15) return `In or near ${name}`;
    return `About ${Math.round(kilometres / 10) * 10} km ${wind} of ${name}`;
}
