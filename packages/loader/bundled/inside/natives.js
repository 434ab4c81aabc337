"use strict";
export let natives;
export function useNatives(given) {
  natives = given;
}
