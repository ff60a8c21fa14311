// Notices that appear and disappear. Pure: times are parameters.

/** The maximum number of notices; the oldest is removed early. */
export const NOTICES_AT_MOST = 4;
/** How long a notice stays, in milliseconds: errors take longer to read. */
const STAYS = { good: 4_000, plain: 5_000, bad: 9_000 };

/**
 * @typedef {object} Notice
 * @property {number} id
 * @property {"good" | "plain" | "bad"} tone
 * @property {string} title The subject, such as a device's name; may be empty.
 * @property {string} text
 * @property {number} until When it disappears, in milliseconds since 1970.
 */

export class Notices {
    #next = 1;
    /** @type {Notice[]} From the oldest to the newest. */
    all = [];

    add(tone, title, text, now) {
        this.all = [...this.all, { id: this.#next, tone, title, text, until: now + STAYS[tone] }]
            .slice(-NOTICES_AT_MOST);
        this.#next += 1;
    }

    expire(now) {
        if (this.all.some((notice) => notice.until <= now)) {
            this.all = this.all.filter((notice) => notice.until > now);
        }
    }

    dismiss(id) {
        this.all = this.all.filter((notice) => notice.id !== id);
    }

    clear() { this.all = []; }
}
