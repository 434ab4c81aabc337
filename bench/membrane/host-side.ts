// Stands for a package on the host side. It passes objects that it has made to the program, and may keep them.

export interface Delivery {
  readonly id: number;
  readonly tags: readonly string[];
}

export function deliver(count: number, receive: (delivery: Delivery) => void): void {
  for (let id = 0; id < count; id++) receive({ id, tags: ['new'] });
}
