import "./rolldown-runtime-C7kxIl-Z.js";
import { t as appDoor } from "./app-door-pgGLoUkM.js";
import { i as isKeptHere } from "./this-thread-Dzjgro-b.js";
import { t as replayingHere } from "./threads-tape-BdtHJ3MD.js";
import { DeadDeviceError, installedLoader, isInstalled } from "@turntable/loader";
// packages/turntable/src/data-source.ts
/** Whether there are snapshots of this program, or there were when it ran that runs again. */
function isRecorded() {
	return isKeptHere() || replayingHere() !== void 0;
}
/** `app.snapshot()`, for who has no app: what has been done so far is in it, and it is on the disk when this answers. Whoever asks meanwhile shares the next one. */
function snapshot() {
	return appDoor.snapshot();
}
/** Whether what the program has there is a handle of something outside of it: then a data source may make objects by hand. */
function isHandle(value) {
	return isInstalled() && installedLoader().sources?.isHandle(value) === true;
}
/** From now on, what stands below `prototype`, a handle, is met as an object that `made` makes. */
function handMake(prototype, made) {
	sources().handMake(prototype, made);
}
/** A property of what a hand-made object stands for. */
function ask(object, key) {
	return sources().ask(object, key);
}
/** Calls a method of it, which mostly answers the same object. */
function invoke(object, key, args) {
	return sources().invoke(object, key, args);
}
/** Tells who waits outside how a promise has ended that was followed. Where the program has gone on nobody does any more. */
function settle(number, isFulfilled, value) {
	present()?.settle(number, isFulfilled, value);
}
function present() {
	return isInstalled() ? installedLoader().sources : void 0;
}
function sources() {
	const found = present();
	if (found === void 0) throw new DeadDeviceError("what this object stands for stayed behind in the process that was recorded; a request that was under way is not answered where the program goes on");
	return found;
}
export { ask, handMake, invoke, isHandle, isRecorded, settle, snapshot };
