// The bits of the Mandelbrot set on a square of the given size, folded into one checksum byte.

import { Benchmark, unknownSize } from './benchmark.ts';

class Mandelbrot extends Benchmark<number> {
  override innerBenchmarkLoop(innerIterations: number): boolean {
    return this.verifyResult(this.mandelbrot(innerIterations), innerIterations);
  }

  verifyResult(result: number, size: number): boolean {
    if (size === 750) return result === 50;
    if (size === 500) return result === 191;
    if (size === 1) return result === 128;
    throw unknownSize('Mandelbrot', size, '1, 500, 750');
  }

  mandelbrot(size: number): number {
    let sum = 0;
    let byte = 0;
    let bits = 0;

    let y = 0;
    while (y < size) {
      const ci = (2.0 * y) / size - 1.0;
      let x = 0;
      while (x < size) {
        const cr = (2.0 * x) / size - 1.5;
        let zrzr = 0.0;
        let zi = 0.0;
        let zizi = 0.0;
        let z = 0;
        let inside = true;
        let escape = 0;

        while (inside && z < 50) {
          const zr = zrzr - zizi + cr;
          zi = 2.0 * zr * zi + ci;
          zrzr = zr * zr;
          zizi = zi * zi;
          if (zrzr + zizi > 4.0) {
            inside = false;
            escape = 1;
          }
          z += 1;
        }

        byte = (byte << 1) + escape;
        bits += 1;
        if (bits === 8) {
          sum ^= byte;
          byte = 0;
          bits = 0;
        } else if (x === size - 1) {
          byte <<= 8 - bits;
          sum ^= byte;
          byte = 0;
          bits = 0;
        }
        x += 1;
      }
      y += 1;
    }
    return sum;
  }
}

export const newInstance = (): Benchmark<number> => new Mandelbrot();
