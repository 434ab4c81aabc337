// packages/turntable/src/threads-tape.ts
let traced;
let replaying;
/** Of this process, if it is recorded with traces. */
function tracedHere() {
	return traced;
}
function tracesHere(its) {
	traced = its;
}
/** Of this thread, if it runs again. */
function replayingHere() {
	return replaying;
}
function replaysHere(its) {
	replaying = its;
}
export { tracesHere as i, replaysHere as n, tracedHere as r, replayingHere as t };
