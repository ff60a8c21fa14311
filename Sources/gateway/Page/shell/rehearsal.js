// A simulated connection whose states follow from a seed, for demonstrations and tests of the page. Pure:
// times are parameters.

const STATES = ["connecting", "established", "error"];
/** The length of a state in milliseconds. */
export const LASTS = { atLeast: 2_000, atMost: 6_000 };

/** SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014). */
class SplitMix64 {
    #state;

    constructor(seed) {
        this.#state = BigInt.asUintN(64, seed);
    }

    next() {
        this.#state = BigInt.asUintN(64, this.#state + 0x9e3779b97f4a7c15n);
        let mixed = this.#state;
        mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n);
        mixed = BigInt.asUintN(64, (mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn);
        return mixed ^ (mixed >> 31n);
    }

    /** Returns a number from zero to below a bound. */
    below(bound) { return Number(this.next() % BigInt(bound)); }
}

export class Rehearsal {
    #random;
    #state = STATES[0];
    #until = null;

    /** @param {bigint} seed */
    constructor(seed) {
        this.#random = new SplitMix64(seed);
    }

    /**
     * Returns the state at a time, which must not be earlier than that of the last call.
     *
     * The first state is `connecting`; each of the two other states follows with the same probability.
     *
     * @returns {"connecting" | "established" | "error"}
     */
    at(now) {
        this.#until ??= now + this.#duration();
        while (this.#until <= now) {
            const others = STATES.filter((state) => state !== this.#state);
            this.#state = others[this.#random.below(others.length)];
            this.#until += this.#duration();
        }
        return this.#state;
    }

    #duration() { return LASTS.atLeast + this.#random.below(LASTS.atMost - LASTS.atLeast + 1); }
}

/** The seed in a page's query, `?rehearse=7`; null without one. */
export function seedIn(query) {
    const text = new URLSearchParams(query).get("rehearse") ?? "";
    return /^\d{1,20}$/.test(text) ? BigInt(text) : null;
}
