// What a program that runs again does outside of it, in words, told to somebody who looks on: what it calls there, requests to its services, and its answers. It only looks at what
// crosses anyway: nothing is asked for it.
import { RequestWatch, type Labelled, type RequestWatcher } from './watched-requests.ts';

export interface DeviceWatcher extends RequestWatcher {
  /** `fs.readFileSync`, `http.OutgoingMessage.end` */
  called(name: string): void;
}

class DeviceWatch extends RequestWatch {
  readonly #watcher: DeviceWatcher;

  constructor(watcher: DeviceWatcher) {
    super(watcher);
    this.#watcher = watcher;
  }

  override calls(name: string, self: Labelled | undefined, args: readonly unknown[]): void {
    this.#watcher.called(name);
    super.calls(name, self, args);
  }
}

let watch: DeviceWatch | undefined;

/** Of this thread, from now on. */
export function watchDevices(watcher: DeviceWatcher): void {
  watch = new DeviceWatch(watcher);
}

export function deviceWatch(): DeviceWatch | undefined {
  return watch;
}
