import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, routeOf, ROUTES } from "./samples.mjs";

/** The route of each address. */
const ADDRESSES = {
    "#/": { screen: "list" },
    "#/devices/VMe9BNPT": { screen: "device", id: "VMe9BNPT" },
    "#/posts": { screen: "logbook" },
    "#/posts/about/1": { screen: "logbook", device: "1" },
    "#/posts/about/site/%C3%85s%20%26%2050%20%25%20%2F%20%C3%A9%3F%23": { screen: "logbook", site: "Ås & 50 % / é?#" },
    "#/posts/7": { screen: "post", number: 7 },
    "#/sites": { screen: "sites" },
    "#/sites/page/3": { screen: "sites", page: 3 },
    "#/sites/Site000007": { screen: "site", id: "Site000007" },
    "#/roster": { screen: "roster" },
    "#/signup": { screen: "signup" }, "#/forgot": { screen: "forgot" }, "#/reset": { screen: "reset" },
};
const OTHERS = [
    "", "#/x", "#/devices/", "#/devices/a/b", "#/devices/..", "#/devices/%3Cimg", `#/devices/${"a".repeat(65)}`,
    "#/posts/0", "#/posts/x", "#/posts/about/", "#/posts/about/<b>", "#/posts/about/site/", "#/posts/about/site/%",
    "#/posts/about/site/a/b", "#/posts/1/2", "#/posts/1234567890123456", "#/sites/", "#/sites/page/0", "#/sites/page/x",
    "#/sites/short", "#/sites/<b>aaaaaaa", "#/sites/Site0000071", "#/roster/x", "#/login", "#/signups", "#/signup/x",
    "#/constructor",
];

test("each screen has an address, and any other address leads to the list", () => {
    for (const [hash, route] of Object.entries(ADDRESSES)) {
        assert.deepEqual(routeOf(hash), route);
        assert.equal(hashOf(route), hash);
    }
    for (const hash of OTHERS) assert.deepEqual(routeOf(hash), { screen: "list" }, hash);
});

test("screens are deeper than those that lead to them", () => {
    const depths = ["login", "signup", "forgot", "reset", "list", "roster", "sites", "site"];
    assert.deepEqual(depths.map((screen) => ROUTES.depthOf(screen)), [0, 1, 2, 3, 4, 5, 5, 6]);
    assert.ok(ROUTES.isParent("list", "roster") && !ROUTES.isParent("list", "post"));
});
