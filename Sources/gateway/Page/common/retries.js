// The retries of a request without an answer. Pure.

/** How long a request is retried, in milliseconds: controllers remember outcomes at least that long. */
export const RETRIED_FOR = 60_000;
/** The first and the longest delay before a retry, in milliseconds. */
const [FIRST, LONGEST] = [500, 8_000];

/** The delay in milliseconds before the next retry, after that many lost answers. */
export function retryDelay(losses) { return Math.min(LONGEST, FIRST * 2 ** (losses - 1)); }
