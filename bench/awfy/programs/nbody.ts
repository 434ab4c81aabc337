// The sun and four planets under Newton's law; the result is the system's energy to the last bit.

import { Benchmark, unknownSize } from './benchmark.ts';

const PI = 3.141592653589793;
const SOLAR_MASS = 4 * PI * PI;
const DAYS_PER_YEAR = 365.24;

class Body {
  declare x: number;
  declare y: number;
  declare z: number;
  declare vx: number;
  declare vy: number;
  declare vz: number;
  declare mass: number;

  constructor(x: number, y: number, z: number, vx: number, vy: number, vz: number, mass: number) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx * DAYS_PER_YEAR;
    this.vy = vy * DAYS_PER_YEAR;
    this.vz = vz * DAYS_PER_YEAR;
    this.mass = mass * SOLAR_MASS;
  }

  offsetMomentum(px: number, py: number, pz: number): void {
    this.vx = 0.0 - px / SOLAR_MASS;
    this.vy = 0.0 - py / SOLAR_MASS;
    this.vz = 0.0 - pz / SOLAR_MASS;
  }

  static sun(): Body {
    return new Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0);
  }

  static jupiter(): Body {
    return new Body(
      4.841431442464721,
      -1.16032004402742839,
      -1.03622044471123109e-1,
      1.66007664274403694e-3,
      7.69901118419740425e-3,
      -6.90460016972063023e-5,
      9.54791938424326609e-4,
    );
  }

  static saturn(): Body {
    return new Body(
      8.34336671824457987,
      4.12479856412430479,
      -4.03523417114321381e-1,
      -2.76742510726862411e-3,
      4.99852801234917238e-3,
      2.30417297573763929e-5,
      2.85885980666130812e-4,
    );
  }

  static uranus(): Body {
    return new Body(
      1.2894369562139131e1,
      -1.51111514016986312e1,
      -2.23307578892655734e-1,
      2.96460137564761618e-3,
      2.3784717395948095e-3,
      -2.96589568540237556e-5,
      4.36624404335156298e-5,
    );
  }

  static neptune(): Body {
    return new Body(
      1.53796971148509165e1,
      -2.59193146099879641e1,
      1.79258772950371181e-1,
      2.68067772490389322e-3,
      1.62824170038242295e-3,
      -9.5159225451971587e-5,
      5.15138902046611451e-5,
    );
  }
}

class SolarSystem {
  declare bodies: Body[];

  constructor() {
    this.bodies = this.createBodies();
  }

  createBodies(): Body[] {
    const bodies = [Body.sun(), Body.jupiter(), Body.saturn(), Body.uranus(), Body.neptune()];
    let px = 0.0;
    let py = 0.0;
    let pz = 0.0;
    bodies.forEach((body) => {
      px += body.vx * body.mass;
      py += body.vy * body.mass;
      pz += body.vz * body.mass;
    });
    bodies[0]!.offsetMomentum(px, py, pz);
    return bodies;
  }

  advance(dt: number): void {
    for (let i = 0; i < this.bodies.length; i += 1) {
      const a = this.bodies[i]!;
      for (let j = i + 1; j < this.bodies.length; j += 1) {
        const b = this.bodies[j]!;
        const dx = a.x - b.x;
        const dy = a.y - b.y;
        const dz = a.z - b.z;

        const squared = dx * dx + dy * dy + dz * dz;
        const distance = Math.sqrt(squared);
        const magnitude = dt / (squared * distance);

        a.vx -= dx * b.mass * magnitude;
        a.vy -= dy * b.mass * magnitude;
        a.vz -= dz * b.mass * magnitude;

        b.vx += dx * a.mass * magnitude;
        b.vy += dy * a.mass * magnitude;
        b.vz += dz * a.mass * magnitude;
      }
    }

    this.bodies.forEach((body) => {
      body.x += dt * body.vx;
      body.y += dt * body.vy;
      body.z += dt * body.vz;
    });
  }

  energy(): number {
    let energy = 0.0;
    for (let i = 0; i < this.bodies.length; i += 1) {
      const a = this.bodies[i]!;
      energy += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz);
      for (let j = i + 1; j < this.bodies.length; j += 1) {
        const b = this.bodies[j]!;
        const dx = a.x - b.x;
        const dy = a.y - b.y;
        const dz = a.z - b.z;
        const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
        energy -= (a.mass * b.mass) / distance;
      }
    }
    return energy;
  }
}

class NBody extends Benchmark<number> {
  override innerBenchmarkLoop(innerIterations: number): boolean {
    const system = new SolarSystem();
    for (let i = 0; i < innerIterations; i += 1) {
      system.advance(0.01);
    }
    return this.verifyResult(system.energy(), innerIterations);
  }

  verifyResult(result: number, steps: number): boolean {
    if (steps === 250000) return result === -0.1690859889909308;
    if (steps === 1) return result === -0.16907495402506745;
    throw unknownSize('NBody', steps, '1, 250000');
  }
}

export const newInstance = (): Benchmark<number> => new NBody();
