// The address of the roster. Pure.

import { Address } from "../common/address.js";

export const ROSTER = new Address("roster", "roster");
