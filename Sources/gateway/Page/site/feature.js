// The sites of the account.

import { failureOf } from "../common/gateway.js";
import { SITE, SITES, SITES_PAGE } from "./address.js";
import { PAGE_SIZE, Sites } from "./sites.js";
import { SiteScreen } from "./sitescreen.js";
import { SitesScreen } from "./sitesscreen.js";
import { sitesView, siteView } from "./sitesview.js";
import { openedSiteFrom, sitePageFrom, storedSitesFrom } from "./sitewire.js";

/** @type {import("../common/feature.js").Feature} */
export const feature = {
    name: "sites",
    entry: { href: SITES.hashOf(), label: "Sites", icon: "place" },
    screens: [
        {
            name: "sites", parents: ["list"], addresses: [SITES_PAGE, SITES], view: sitesView,
            make: ({ model, handle, back }) =>
                new SitesScreen({ refresh: () => handle(() => model.services.sites.list()), back }),
        },
        {
            name: "site", parents: ["sites"], addresses: [SITE], view: siteView, title: ({ name }) => name,
            make: ({ model, handle, back }) =>
                new SiteScreen({ refresh: () => handle(() => model.services.sites.read()), back }),
        },
    ],
    service: ({ connection, perform }) => new Sites(connection, perform),
    stored: { from: storedSitesFrom },
    effects: ({ model, gateway, attempt }) => ({
        sites: ({ page }) =>
            attempt(gateway.get(`/page/sites?page=${page}&pageSize=${PAGE_SIZE}`, sitePageFrom), {
                done: (list, now) => model.services.sites.pageCame({ page, ...list }, now),
                failed: (error) => model.services.sites.listFailed(page, failureOf(error), error.message),
            }),
        site: ({ id }) => attempt(gateway.get(`/page/sites/${id}`, openedSiteFrom), {
            done: (opened, now) => model.services.sites.fetched(opened, now),
            failed: (error) => model.services.sites.fetchFailed(id, failureOf(error), error.message),
        }),
    }),
};
