// Tasks of piscina's worker.

let count = 0;

export function ping(value: number): number {
  return value;
}

export function increment(): void {
  count++;
}

export function retrieve(): number {
  const counted = count;
  count = 0;
  return counted;
}
