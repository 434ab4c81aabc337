import "./rolldown-runtime-C7kxIl-Z.js";
import { n as takeContinuation } from "./continuation-B7kxWGBN.js";
import { t as replayingHere } from "./threads-tape-BdtHJ3MD.js";
import { r as recordingIn, t as isDirectory } from "./recording-in-D3pV3dpf.js";
import { installedLoader, prepareStates } from "@turntable/loader";
const { readFileSync } = process.getBuiltinModule("node:fs");
// packages/turntable/src/resume.ts
const { place: file, epoch, rollbacks, ...options } = takeContinuation(process.env);
async function restored() {
	try {
		if (isDirectory(file)) {
			const { restoreRecording } = await import("./restore-recording-CQF7t9O-.js");
			return await restoreRecording(recordingIn(file), options, {
				epoch,
				rollbacks
			});
		}
		const state = await installedLoader().state();
		const bytes = readFileSync(file);
		state.goElsewhere(await prepareStates([bytes], { root: options.root }));
		return await state.restore(bytes);
	} catch (error) {
		replayingHere()?.cannotBegin(error);
		const { code, message } = error;
		if (code === void 0) throw error;
		process.stderr.write(`turntable restore: ${file}: ${message}\n`);
		return process.exit(1);
	}
}
await (await restored())();
export {};
