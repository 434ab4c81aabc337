import { bytesOf, millisecondsOf } from "@turntable/loader";
// packages/turntable/src/retention.ts
function retentionOf(kept) {
	return {
		snapshots: rules(kept.count, millisecondsOf(kept.age), bytesOf(kept.bytes)),
		recordings: rules(kept.recordings, void 0, bytesOf(kept.total))
	};
}
function rules(count, age, bytes) {
	return {
		...count === void 0 ? {} : { count },
		...age === void 0 ? {} : { age },
		...bytes === void 0 ? {} : { bytes }
	};
}
export { retentionOf as t };
