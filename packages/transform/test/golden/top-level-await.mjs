import { open } from './store.mjs';

export const store = await open();
let seen = 0;
for await (const change of store.changes()) {
  seen++;
  if (change.last) break;
}
export const count = () => seen;
