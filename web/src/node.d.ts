// The SDK's part for servers, of which types are used here, names it.
declare module "node:crypto";
