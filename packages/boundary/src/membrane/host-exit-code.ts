// The exit code of the process as host code sets it. Both sides set the same property, which cannot be redefined, so a
// change is found by comparison after host code has run. What the program has set meanwhile may be found too: a replay
// then sets the same value again.
const { process } = globalThis;

export class HostExitCode {
  #lastSeen = process.exitCode;

  /** Must be called before host code runs. */
  noteProgramValue(): void {
    this.#lastSeen = process.exitCode;
  }

  /** Must be called after host code has run. Returns whether the value differs from the last one. */
  takeChange(): boolean {
    const { exitCode } = process;
    if (exitCode === this.#lastSeen) return false;
    this.#lastSeen = exitCode;
    return true;
  }
}
