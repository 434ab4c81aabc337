// CD: detection of colliding aircraft over two hundred frames. Each frame sorts the motions since the last one into
// voxels of the plane and looks for intersections within a voxel.

import { Benchmark, unknownSize } from './benchmark.ts';
import { RedBlackTree } from './red-black-tree.ts';
import { Vector2D, Vector3D, type Ordered } from './point.ts';
import { Vector } from './vector.ts';

const MIN_X = 0;
const MIN_Y = 0;
const MAX_X = 1000;
const MAX_Y = 1000;
const MIN_Z = 0;
const MAX_Z = 10;
const PROXIMITY_RADIUS = 1;
const VOXEL_SIZE = PROXIMITY_RADIUS * 2;
const FRAMES = 200;

const horizontal = new Vector2D(VOXEL_SIZE, 0);
const vertical = new Vector2D(0, VOXEL_SIZE);

class CallSign implements Ordered<CallSign> {
  declare value: number;

  constructor(value: number) {
    this.value = value;
  }

  compareTo(other: CallSign): number {
    return this.value === other.value ? 0 : this.value < other.value ? -1 : 1;
  }
}

class Collision {
  declare a: CallSign;
  declare b: CallSign;
  declare position: Vector3D;

  constructor(a: CallSign, b: CallSign, position: Vector3D) {
    this.a = a;
    this.b = b;
    this.position = position;
  }
}

class Aircraft {
  declare callSign: CallSign;
  declare position: Vector3D;

  constructor(callSign: CallSign, position: Vector3D) {
    this.callSign = callSign;
    this.position = position;
  }
}

class Motion {
  declare callSign: CallSign;
  declare from: Vector3D;
  declare to: Vector3D;

  constructor(callSign: CallSign, from: Vector3D, to: Vector3D) {
    this.callSign = callSign;
    this.from = from;
    this.to = to;
  }

  delta(): Vector3D {
    return this.to.minus(this.from);
  }

  /** Where the two come within the radius of each other during the frame (constant speeds), or null. */
  findIntersection(other: Motion): Vector3D | null {
    const init1 = this.from;
    const init2 = other.from;
    const vec1 = this.delta();
    const vec2 = other.delta();
    const radius = PROXIMITY_RADIUS;

    // |(init1 + t vec1) − (init2 + t vec2)| = radius is a quadratic equation a t² + b t + c = 0 unless the motions are
    // equal.
    const a = vec2.minus(vec1).squaredMagnitude();
    if (a !== 0) {
      const b = 2 * init1.minus(init2).dot(vec1.minus(vec2));
      const c = -radius * radius + init2.minus(init1).squaredMagnitude();
      const discriminant = b * b - 4 * a * c;
      if (discriminant < 0) return null;

      const t1 = (-b - Math.sqrt(discriminant)) / (2 * a);
      const t2 = (-b + Math.sqrt(discriminant)) / (2 * a);
      if (t1 <= t2 && ((t1 <= 1 && 1 <= t2) || (t1 <= 0 && 0 <= t2) || (0 <= t1 && t2 <= 1))) {
        // A collision that began before the frame is reported at its start.
        let t: number;
        if (t1 <= 0) {
          t = 0;
        } else {
          t = t1;
        }

        const position1 = init1.plus(vec1.times(t));
        const position2 = init2.plus(vec2.times(t));
        const position = position1.plus(position2).times(0.5);
        if (
          position.x >= MIN_X &&
          position.x <= MAX_X &&
          position.y >= MIN_Y &&
          position.y <= MAX_Y &&
          position.z >= MIN_Z &&
          position.z <= MAX_Z
        ) {
          return position;
        }
      }
      return null;
    }

    // Equal speeds: the distance does not change.
    const distance = init2.minus(init1).magnitude();
    if (distance <= radius) return init1.plus(init2).times(0.5);
    return null;
  }
}

type VoxelMap = RedBlackTree<Vector2D, Vector<Motion>>;

function isInVoxel(voxel: Vector2D, motion: Motion): boolean {
  if (voxel.x > MAX_X || voxel.x < MIN_X || voxel.y > MAX_Y || voxel.y < MIN_Y) return false;

  const init = motion.from;
  const fin = motion.to;
  const size = VOXEL_SIZE;
  const r = PROXIMITY_RADIUS / 2;

  const vX = voxel.x;
  const x0 = init.x;
  const xv = fin.x - init.x;

  const vY = voxel.y;
  const y0 = init.y;
  const yv = fin.y - init.y;

  let lowX = (vX - r - x0) / xv;
  let highX = (vX + size + r - x0) / xv;
  if (xv < 0) {
    const swapped = lowX;
    lowX = highX;
    highX = swapped;
  }

  let lowY = (vY - r - y0) / yv;
  let highY = (vY + size + r - y0) / yv;
  if (yv < 0) {
    const swapped = lowY;
    lowY = highY;
    highY = swapped;
  }

  return (
    ((xv === 0 && vX <= x0 + r && x0 - r <= vX + size) ||
      (lowX <= 1 && 1 <= highX) ||
      (lowX <= 0 && 0 <= highX) ||
      (0 <= lowX && highX <= 1)) &&
    ((yv === 0 && vY <= y0 + r && y0 - r <= vY + size) ||
      (lowY <= 1 && 1 <= highY) ||
      (lowY <= 0 && 0 <= highY) ||
      (0 <= lowY && highY <= 1)) &&
    (xv === 0 ||
      yv === 0 ||
      (lowY <= highX && highX <= highY) ||
      (lowY <= lowX && lowX <= highY) ||
      (lowX <= lowY && highY <= highX))
  );
}

function putIntoMap(map: VoxelMap, voxel: Vector2D, motion: Motion): void {
  let motions = map.get(voxel);
  if (!motions) {
    motions = new Vector<Motion>();
    map.put(voxel, motions);
  }
  motions.append(motion);
}

function spread(map: VoxelMap, seen: RedBlackTree<Vector2D, boolean>, voxel: Vector2D, motion: Motion): void {
  if (!isInVoxel(voxel, motion)) return;
  if (seen.put(voxel, true)) return;
  putIntoMap(map, voxel, motion);

  spread(map, seen, voxel.minus(horizontal), motion);
  spread(map, seen, voxel.plus(horizontal), motion);
  spread(map, seen, voxel.minus(vertical), motion);
  spread(map, seen, voxel.plus(vertical), motion);
  spread(map, seen, voxel.minus(horizontal).minus(vertical), motion);
  spread(map, seen, voxel.minus(horizontal).plus(vertical), motion);
  spread(map, seen, voxel.plus(horizontal).minus(vertical), motion);
  spread(map, seen, voxel.plus(horizontal).plus(vertical), motion);
}

function voxelOf(position: Vector3D): Vector2D {
  const xDiv = (position.x / VOXEL_SIZE) | 0;
  const yDiv = (position.y / VOXEL_SIZE) | 0;
  let x = VOXEL_SIZE * xDiv;
  let y = VOXEL_SIZE * yDiv;
  if (position.x < 0) x -= VOXEL_SIZE;
  if (position.y < 0) y -= VOXEL_SIZE;
  return new Vector2D(x, y);
}

function drawMotion(map: VoxelMap, motion: Motion): void {
  const seen = new RedBlackTree<Vector2D, boolean>();
  spread(map, seen, voxelOf(motion.from), motion);
}

function crowdedVoxels(motions: Vector<Motion>): Vector<Vector<Motion>> {
  const map: VoxelMap = new RedBlackTree();
  motions.forEach((motion) => drawMotion(map, motion));

  const crowded = new Vector<Vector<Motion>>();
  map.forEach((entry) => {
    if (entry.value.size() > 1) crowded.append(entry.value);
  });
  return crowded;
}

class CollisionDetector {
  declare state: RedBlackTree<CallSign, Vector3D>;

  constructor() {
    this.state = new RedBlackTree();
  }

  handleNewFrame(frame: Vector<Aircraft>): Vector<Collision> {
    const motions = new Vector<Motion>();
    const seen = new RedBlackTree<CallSign, boolean>();

    frame.forEach((aircraft) => {
      let oldPosition = this.state.put(aircraft.callSign, aircraft.position);
      const newPosition = aircraft.position;
      seen.put(aircraft.callSign, true);
      // A new aircraft counts as one that stood still.
      if (!oldPosition) oldPosition = newPosition;
      motions.append(new Motion(aircraft.callSign, oldPosition, newPosition));
    });

    const gone = new Vector<CallSign>();
    this.state.forEach((entry) => {
      if (!seen.get(entry.key)) gone.append(entry.key);
    });
    gone.forEach((callSign) => this.state.remove(callSign));

    const collisions = new Vector<Collision>();
    crowdedVoxels(motions).forEach((voxel) => {
      for (let i = 0; i < voxel.size(); i += 1) {
        const motion1 = voxel.at(i)!;
        for (let j = i + 1; j < voxel.size(); j += 1) {
          const motion2 = voxel.at(j)!;
          const position = motion1.findIntersection(motion2);
          if (position) collisions.append(new Collision(motion1.callSign, motion2.callSign, position));
        }
      }
    });
    return collisions;
  }
}

class Simulator {
  declare aircraft: Vector<CallSign>;

  constructor(count: number) {
    this.aircraft = new Vector();
    for (let i = 0; i < count; i += 1) {
      this.aircraft.append(new CallSign(i));
    }
  }

  simulate(time: number): Vector<Aircraft> {
    const frame = new Vector<Aircraft>();
    for (let i = 0; i < this.aircraft.size(); i += 2) {
      frame.append(new Aircraft(this.aircraft.at(i)!, new Vector3D(time, Math.cos(time) * 2 + i * 3, 10)));
      frame.append(new Aircraft(this.aircraft.at(i + 1)!, new Vector3D(time, Math.sin(time) * 2 + i * 3, 10)));
    }
    return frame;
  }
}

class CD extends Benchmark<number> {
  override innerBenchmarkLoop(innerIterations: number): boolean {
    return this.verifyResult(this.cd(innerIterations), innerIterations);
  }

  cd(aircraft: number): number {
    const simulator = new Simulator(aircraft);
    const detector = new CollisionDetector();
    let count = 0;
    for (let i = 0; i < FRAMES; i += 1) {
      const time = i / 10;
      const collisions = detector.handleNewFrame(simulator.simulate(time));
      count += collisions.size();
    }
    return count;
  }

  verifyResult(result: number, aircraft: number): boolean {
    if (aircraft === 1000) return result === 14484;
    if (aircraft === 500) return result === 14484;
    if (aircraft === 250) return result === 10830;
    if (aircraft === 200) return result === 8655;
    if (aircraft === 100) return result === 4305;
    if (aircraft === 10) return result === 390;
    if (aircraft === 2) return result === 42;
    throw unknownSize('CD', aircraft, '2, 10, 100, 200, 250, 500, 1000');
  }
}

export const newInstance = (): Benchmark<number> => new CD();
