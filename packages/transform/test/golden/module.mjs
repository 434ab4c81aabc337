import defaultThing, { named as local } from './things.mjs';
import * as all from './all.mjs';

export let counter = 0;
export const fixed = local(all);
export function bump() {
  counter++;
  return defaultThing;
}
export default class Thing {}
export { local as again };
export * from './rest.mjs';
