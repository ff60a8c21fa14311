// Request IDs. Pure: time and random bytes are parameters.

/**
 * Creates a UUID of version 7 (RFC 9562, section 5.7) in its form of 36 characters.
 *
 * @param {number} milliseconds Since 1970: the first 48 bits.
 * @param {Uint8Array} chance Ten random bytes.
 */
export function requestID(milliseconds, chance) {
    const bytes = [...chance.subarray(0, 10)];
    bytes[0] = 0x70 | bytes[0] & 0x0f;
    bytes[2] = 0x80 | bytes[2] & 0x3f;
    const time = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, "0").slice(-12);
    return dashed(time + bytes.map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}

/** Formats 32 hexadecimal digits as a UUID. */
export function dashed(digits) {
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
