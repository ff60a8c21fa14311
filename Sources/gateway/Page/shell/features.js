// The features of the page. A new one is a folder, and its name here. The links in the bar of the first
// screen have this order.

import { feature as fleet } from "../fleet/feature.js";
import { feature as device } from "../device/feature.js";
import { feature as roster } from "../duty/feature.js";
import { feature as login } from "../login/feature.js";
import { feature as logbook } from "../logbook/feature.js";
import { feature as queues } from "../queue/feature.js";
import { feature as sites } from "../site/feature.js";
import { feature as list } from "../list/feature.js";

export const FEATURES = [login, fleet, list, device, sites, logbook, roster, queues];
