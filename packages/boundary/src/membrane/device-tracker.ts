// Reports to an observer, as texts, what a replaying program does to its host: calls, requests to its services and
// their responses. The tracker only watches what crosses the membrane, and never calls the host.
import { RequestTracker, type LabelledHandle, type RequestObserver } from './request-tracker.ts';

export interface DeviceObserver extends RequestObserver {
  /** Reports a host call by the name of the function, such as `fs.readFileSync`. */
  onHostCall(name: string): void;
}

class DeviceTracker extends RequestTracker {
  readonly #observer: DeviceObserver;

  constructor(observer: DeviceObserver) {
    super(observer);
    this.#observer = observer;
  }

  override noteCall(name: string, self: LabelledHandle | undefined, args: readonly unknown[]): void {
    this.#observer.onHostCall(name);
    super.noteCall(name, self, args);
  }
}

let tracker: DeviceTracker | undefined;

/** Sets the observer of this thread. */
export function observeDevices(observer: DeviceObserver): void {
  tracker = new DeviceTracker(observer);
}

export function deviceTracker(): DeviceTracker | undefined {
  return tracker;
}
