// The address of a device. Pure.

import { Address, deviceID } from "../common/address.js";

export const DEVICE = new Address("device", "devices/:id", { id: deviceID });
