import { Feed } from "@turntable/recording";
// packages/turntable/src/part-feed.ts
/** The name of a worker's part. */
const PART = "state";
var PartFeed = class {
	#feed;
	#recording;
	#worker;
	/** `data`: of `feedOf`. */
	constructor(data, worker) {
		const { handle, recording } = data;
		this.#feed = new Feed(handle);
		this.#recording = recording;
		this.#worker = worker;
	}
	get pending() {
		return this.#feed.pending;
	}
	add(phase, bytes) {
		this.#feed.add({
			recording: this.#recording,
			phase
		}, this.#worker, PART, bytes);
	}
	/** The text of a module, as it was loaded. */
	addModule(url, text, settings) {
		this.#feed.addModule(this.#recording, url, text, settings);
	}
};
function feedOf(writer, { number }) {
	const handle = writer.feed();
	return {
		data: {
			handle,
			recording: number
		},
		transfer: [handle.port]
	};
}
export { PartFeed as n, feedOf as r, PART as t };
