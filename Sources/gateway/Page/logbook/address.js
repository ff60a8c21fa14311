// The addresses of the logbook. Pure.

import { Address, deviceID, matching } from "../common/address.js";

export const LOGBOOK = new Address("logbook", "posts");
export const ABOUT_DEVICE = new Address("logbook", "posts/about/:device", { device: deviceID });
/** The logbook, to write about the site of a name. */
export const ABOUT_SITE = new Address("logbook", "posts/about/site/:site", {
    site: matching(/^[^/]{1,600}$/, decodeURIComponent),
});
export const POST = new Address("post", "posts/:number", { number: matching(/^[1-9]\d{0,14}$/, Number) });
