// What a program that runs again does outside of it, in words, told to somebody who looks on: what it calls there, requests to its services, and its answers. It only looks at what
// crosses anyway: nothing is asked for it.
import { RequestTracker, type LabelledHandle, type RequestObserver } from './request-tracker.ts';

export interface DeviceObserver extends RequestObserver {
  /** `fs.readFileSync`, `http.OutgoingMessage.end` */
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

/** Of this thread, from now on. */
export function observeDevices(observer: DeviceObserver): void {
  tracker = new DeviceTracker(observer);
}

export function deviceTracker(): DeviceTracker | undefined {
  return tracker;
}
