// Formats times in the locale of the user's browser.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const exact = new Intl.DateTimeFormat(undefined, {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/**
 * @typedef {object} Times
 * @property {(at: number, isDay: boolean) => string} text A time on an axis; the date if `isDay`.
 * @property {(at: number) => string} clock A time of day.
 * @property {(at: number) => string} full A time of day, with the date unless it is today.
 * @property {(at: number) => number} eastOfUTC The user's offset from UTC in milliseconds.
 */

/** @type {Times} */
export const times = {
    text: (at, isDay) => (isDay ? day : clock).format(at),
    clock: (at) => exact.format(at),
    full: (at) => {
        const isToday = new Date(at).toDateString() === new Date().toDateString();
        return isToday ? exact.format(at) : `${day.format(at)} ${clock.format(at)}`;
    },
    eastOfUTC: (at) => -new Date(at).getTimezoneOffset() * 60_000,
};
