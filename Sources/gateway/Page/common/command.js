// The name of the command; the gateway replaces it by the one that users call where it is installed. Pure.

export const FLEET = "fleet";
