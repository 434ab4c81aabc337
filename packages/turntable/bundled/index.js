import "./rolldown-runtime-C7kxIl-Z.js";
import { _ as Actor, l as startApp, m as thisThread } from "./this-thread-Dzjgro-b.js";
import { t as appDoor } from "./app-door-pgGLoUkM.js";
import { n as version } from "./version-D3CCfiRX.js";
import { DeadDeviceError, installedLoader, isInstalled } from "@turntable/loader";
import { ActorLostError, FarReference, RuntimeError } from "@turntable/runtime";
// packages/turntable/src/index.ts
/** For `turntable.config.ts`: `export default defineConfig({ … })`. */
function defineConfig(config) {
	return config;
}
/**
* Something of outside, and how it is made: `make` is called at once, and again where the program goes on from a state; what it answers
* then stands wherever this one stood. It may answer a promise.
*/
function device(make, options = {}) {
	return isInstalled() ? installedLoader().devices.declare(make, options.name) : make();
}
/** Says how the actors of this program live, before there are any. A program that does not call it gets the defaults. */
function start(options = {}) {
	startApp(options);
	return appDoor;
}
/**
* Goes on from a recording, the last one of a directory of them, or a state: this process becomes the program, so that nothing of who calls
* reaches into it. Answers only by failing. Where a process cannot become another (Windows, the permission model) it is a child, with the
* terminal, signals and exit code of this one.
*/
async function restore(place, options = {}) {
	const { restoreAs } = await import("./restore-DKqfKh79.js");
	return restoreAs(place, options);
}
/** An actor with an instance of the class, at once; it lives on whichever worker has the fewest. */
const spawn = (type, ...args) => {
	const { scheduler, place } = thisThread();
	return scheduler.program.spawn(type, args, place(void 0));
};
const spawnWith = (options, type, ...args) => {
	const { scheduler, place } = thisThread();
	return scheduler.program.spawn(type, args, place(options.on), options);
};
/** For messages that need no answer. */
const tell = (target) => thisThread().scheduler.program.tell(target);
/** For messages to what may not be there yet: a reference, or a promise of one. */
const send = (target) => thisThread().scheduler.program.send(target);
/** For messages whose answer is wanted in time. */
const sendWith = (options, target) => thisThread().scheduler.program.sendWith(options, target);
/** A reference to an object, for other actors. */
const far = (object) => {
	if (!isObject(object)) throw new RuntimeError("TT_NOT_PASSABLE", `far(…) was given ${String(object)}, which passes as it is; give it an object`);
	return thisThread().scheduler.program.far(object);
};
/** The object of a reference, for the actor it belongs to. */
const near = (ref) => thisThread().scheduler.program.near(reference(ref, "near"));
const isFar = (value) => FarReference.has(value);
/** Equal for references to one object, in all actors. */
function identityOf(ref) {
	return thisThread().scheduler.program.identityOf(reference(ref, "identityOf"));
}
/** Ends an actor when it has handled what was sent to it before; of itself an actor may say `this`. */
function stop(actor) {
	const { scheduler } = thisThread();
	scheduler.program.stop(isObject(actor) && Actor.has(actor) ? scheduler.program.far(actor) : reference(actor, "stop"));
}
/** Takes back a reference to an object of this actor's: what is sent to it from now on is rejected. */
function release(ref) {
	thisThread().scheduler.program.release(reference(ref, "release"));
}
/** Settled with the reason when nothing can be sent to the actor any more. */
function whenBroken(ref) {
	return thisThread().scheduler.program.whenBroken(reference(ref, "whenBroken"));
}
function isObject(value) {
	return typeof value === "object" && value !== null || typeof value === "function";
}
function reference(value, call) {
	if (FarReference.has(value)) return value;
	const what = isObject(value) ? "an object" : String(value);
	throw new RuntimeError("TT_NOT_A_REFERENCE", `${call}(…) was given ${what}, which is no far reference; of a promise of one, await it first`);
}
export { Actor, ActorLostError, DeadDeviceError, RuntimeError, defineConfig, device, far, identityOf, isFar, near, release, restore, send, sendWith, spawn, spawnWith, start, stop, tell, version, whenBroken };
