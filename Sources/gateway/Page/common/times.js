// Times of day as the user's browser writes them.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const exact = new Intl.DateTimeFormat(undefined, {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23",
});
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

/**
 * @typedef {object} Times
 * @property {(at: number, isDay: boolean) => string} text A time along an axis; of a step of days, its day.
 * @property {(at: number) => string} clock A time of day.
 * @property {(at: number) => string} full A time in a list: the time of today, or the day with it.
 * @property {(at: number) => number} eastOfUTC Milliseconds by which the user's clock is ahead of UTC.
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
