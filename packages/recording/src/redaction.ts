// Entry point of the code that finds and redacts secrets, which recorded threads do not load.
export { BUILT_IN_RULES, REDACTED, Redaction } from './redaction/redaction.ts';
export { HostReads } from './redaction/event-names.ts';
