import "./rolldown-runtime-C7kxIl-Z.js";
import { recordedText } from "@turntable/loader";
import { fileURLToPath } from "node:url";
// packages/turntable/src/replay/texts.ts
/** By the names of files; of one that had several texts, the first one that was loaded is the last of the list. */
function textsIn(recording) {
	const texts = /* @__PURE__ */ new Map();
	for (const { url, sha256, settings = "" } of recording.manifest.modules) {
		if (!url.startsWith("file:")) continue;
		const file = fileURLToPath(url);
		const text = recordedText(recording.source(sha256), settings);
		const those = texts.get(file);
		if (those === void 0) texts.set(file, [text]);
		else those.unshift(text);
	}
	return texts;
}
export { textsIn };
