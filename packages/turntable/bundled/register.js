import "./rolldown-runtime-C7kxIl-Z.js";
import { t as isContinuing } from "./continuation-B7kxWGBN.js";
import { t as requireNode } from "./node-version-CFokQqN7.js";
import { t as takeReplayOrder } from "./replay-order-DFv74-Rk.js";
const { isMainThread, workerData } = process.getBuiltinModule("node:worker_threads");
const { resolve } = process.getBuiltinModule("node:path");
// packages/turntable/src/capture-settings.ts
/** From the environment, which children of the program do not get. */
function captureSettings(environment) {
	const { TURNTABLE_CAPTURE: file, TURNTABLE_CAPTURE_AFTER: after, TURNTABLE_HANDLES: handles } = environment;
	delete environment["TURNTABLE_CAPTURE"];
	delete environment["TURNTABLE_CAPTURE_AFTER"];
	delete environment["TURNTABLE_HANDLES"];
	if (file === void 0 || file === "") return void 0;
	return {
		file: resolve(file),
		after: countOf(after),
		handles: handlesOf(handles)
	};
}
function handlesOf(text = "refuse") {
	if (text === "refuse" || text === "dead") return text;
	process.stderr.write(`turntable: --handles takes "refuse" or "dead", not "${text}"\n`);
	process.exit(2);
}
function countOf(text) {
	if (text === void 0 || text === "") return 0;
	if (/^\d{1,9}$/.test(text)) return Number(text);
	process.stderr.write(`turntable: --capture-after takes a number of job boundaries, not "${text}"\n`);
	process.exit(2);
}
// packages/turntable/src/register.ts
requireNode();
const { createLoaderRealm, install, loaderOptions, runtimeTransform, transformer } = await import("@turntable/loader");
const options = isMainThread ? (await import("./settings-here-D5RFVbJW.js")).settingsOrEnd() : loaderOptions();
const order = isMainThread ? takeReplayOrder(process.env) : void 0;
const isRecorded = isMainThread && options.recordings !== false && order === void 0 && !isContinuing(process.env);
if (isMainThread && process.env["TURNTABLE_KEY"]) (await import("./take-key-Brq2q0_y.js")).takeKeyOrEnd();
const { turntable } = isMainThread ? {} : workerData ?? {};
const taping = order !== void 0 || isRecorded && options.trace || (turntable?.trace ?? turntable?.replay) !== void 0 ? await (await import("./taping-BowI98Cf.js")).tapingHere(options, order) : void 0;
const loader = install(transformer, createLoaderRealm(runtimeTransform, taping?.taped), options);
taping?.begins(loader);
if (isRecorded || order !== void 0 && order.from === void 0) {
	const { recordHere } = await import("./record-here-BEh_mdzT.js");
	await recordHere(loader, isRecorded && options.recordings);
}
const capture = isMainThread ? captureSettings(process.env) : void 0;
if (capture !== void 0) {
	const { captureOnce } = await import("./capture-once-DNQkaxs7.js");
	await captureOnce(loader, capture, isContinuing(process.env));
}
export {};
