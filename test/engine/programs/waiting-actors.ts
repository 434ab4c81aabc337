// The actors of waiting.ts.
import type { FarRef } from 'turntable';

export class Oven {
  #heated: (() => void) | undefined;

  /** Never. */
  bake(): Promise<string> {
    return new Promise(() => {});
  }

  async warm(): Promise<number> {
    await this.#heat();
    return 200;
  }

  #heat(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#heated = resolve;
    return promise;
  }

  light(): boolean {
    return this.#heated !== undefined;
  }

  burn(): void {
    this.#heated?.();
  }
}

export class Baker {
  readonly #oven: FarRef<Oven>;

  constructor(oven: FarRef<Oven>) {
    this.#oven = oven;
  }

  async make(): Promise<string> {
    const bread = await this.#oven.bake();
    return bread;
  }

  async prepare(): Promise<string> {
    const [degrees, bread] = await Promise.all([this.#oven.warm(), this.make()]);
    return `${bread} at ${degrees}`;
  }

  rest(): string {
    return 'rested';
  }
}
