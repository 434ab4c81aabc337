import "./rolldown-runtime-C7kxIl-Z.js";
import { RecordingError, takeKey } from "@turntable/recording";
// packages/turntable/src/take-key.ts
function takeKeyOrEnd() {
	try {
		takeKey();
	} catch (error) {
		if (!(error instanceof RecordingError)) throw error;
		process.stderr.write(`turntable: ${error.message}\n`);
		process.exit(1);
	}
}
export { takeKeyOrEnd };
