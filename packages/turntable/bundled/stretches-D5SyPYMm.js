// packages/turntable/src/stretches.ts
/** Phases in which it was ended while its program went on. */
function stoppedIn({ stopped }) {
	return Array.isArray(stopped) ? stopped.filter((phase) => typeof phase === "number") : [];
}
export { stoppedIn as t };
