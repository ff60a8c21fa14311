// The addresses of the sites. Pure.

import { Address, matching } from "../common/address.js";

export const SITES = new Address("sites", "sites");
/** A page of the sites, from 1. */
export const SITES_PAGE = new Address("sites", "sites/page/:page", {
    page: matching(/^[1-9]\d{0,5}$/, Number),
});
export const SITE = new Address("site", "sites/:id", { id: matching(/^[A-Za-z0-9]{10}$/) });
