import "./rolldown-runtime-C7kxIl-Z.js";
import { installedLoader, isInstalled } from "@turntable/loader";
const { workerData } = process.getBuiltinModule("node:worker_threads");
// packages/turntable/src/actor-worker.ts
if (!isInstalled()) await import("./register.js");
const { serveHere } = await import("./this-thread-CB7OVWol.js");
const { turntable: data, elsewhere } = workerData;
if (data.isSnapshotted) {
	const { recordHere } = await import("./record-here-BEh_mdzT.js");
	const state = await recordHere(installedLoader(), false);
	if (elsewhere !== void 0) state.goElsewhere(elsewhere);
}
serveHere(data);
export {};
