// The address of the list. Pure.

import { Address } from "../common/address.js";

export const LIST = new Address("list", "");
