// Richards: the scheduler of a small operating system, with an idle task, a worker, two handlers and two devices that
// pass packets around. Each task is a closure over its scheduler.

import { Benchmark } from './benchmark.ts';

const NO_TASK = null;
const NO_WORK = null;

const IDLER = 0;
const WORKER = 1;
const HANDLER_A = 2;
const HANDLER_B = 3;
const DEVICE_A = 4;
const DEVICE_B = 5;
const TASKS = 6;

const DEVICE_PACKET = 0;
const WORK_PACKET = 1;

const DATA_SIZE = 4;

type Task = TaskControlBlock | null;
type Work = Packet | null;
type TaskFunction = (work: Work, data: TaskData) => Task;
type TaskData = DeviceData | HandlerData | IdleData | WorkerData;

class KernelObject {
  append(packet: Packet, head: Work): Packet {
    packet.link = NO_WORK;
    if (head === NO_WORK) return packet;

    let last = head;
    let next: Work;
    while ((next = last.link) !== NO_WORK) {
      last = next;
    }
    last.link = packet;
    return head;
  }
}

class TaskState extends KernelObject {
  declare pending: boolean;
  declare waiting: boolean;
  declare holding: boolean;

  constructor() {
    super();
    this.pending = false;
    this.waiting = false;
    this.holding = false;
  }

  isPacketPending(): boolean {
    return this.pending;
  }

  isTaskHolding(): boolean {
    return this.holding;
  }

  isTaskWaiting(): boolean {
    return this.waiting;
  }

  setTaskHolding(holding: boolean): void {
    this.holding = holding;
  }

  setTaskWaiting(waiting: boolean): void {
    this.waiting = waiting;
  }

  setPacketPending(pending: boolean): void {
    this.pending = pending;
  }

  becomePending(): void {
    this.pending = true;
    this.waiting = false;
    this.holding = false;
  }

  becomeRunning(): void {
    this.pending = false;
    this.waiting = false;
    this.holding = false;
  }

  becomeWaiting(): void {
    this.pending = false;
    this.holding = false;
    this.waiting = true;
  }

  becomeWaitingWithPacket(): void {
    this.holding = false;
    this.waiting = true;
    this.pending = true;
  }

  isTaskHoldingOrWaiting(): boolean {
    return this.holding || (!this.pending && this.waiting);
  }

  isWaitingWithPacket(): boolean {
    return this.pending && this.waiting && !this.holding;
  }

  static createRunning(): TaskState {
    const state = new TaskState();
    state.becomeRunning();
    return state;
  }

  static createWaiting(): TaskState {
    const state = new TaskState();
    state.becomeWaiting();
    return state;
  }

  static createWaitingWithPacket(): TaskState {
    const state = new TaskState();
    state.becomeWaitingWithPacket();
    return state;
  }
}

class DeviceData extends KernelObject {
  declare pending: Work;

  constructor() {
    super();
    this.pending = NO_WORK;
  }
}

class HandlerData extends KernelObject {
  declare workIn: Work;
  declare deviceIn: Work;

  constructor() {
    super();
    this.workIn = NO_WORK;
    this.deviceIn = NO_WORK;
  }

  deviceInAdd(packet: Packet): void {
    this.deviceIn = this.append(packet, this.deviceIn);
  }

  workInAdd(packet: Packet): void {
    this.workIn = this.append(packet, this.workIn);
  }
}

class IdleData extends KernelObject {
  declare control: number;
  declare count: number;

  constructor() {
    super();
    this.control = 1;
    this.count = 10000;
  }
}

class WorkerData extends KernelObject {
  declare destination: number;
  declare count: number;

  constructor() {
    super();
    this.destination = HANDLER_A;
    this.count = 0;
  }
}

class Packet extends KernelObject {
  declare link: Work;
  declare identity: number;
  declare kind: number;
  declare datum: number;
  declare data: number[];

  constructor(link: Work, identity: number, kind: number) {
    super();
    this.link = link;
    this.identity = identity;
    this.kind = kind;
    this.datum = 0;
    this.data = new Array<number>(DATA_SIZE).fill(0);
  }
}

class TaskControlBlock extends TaskState {
  declare link: Task;
  declare identity: number;
  declare priority: number;
  declare input: Work;
  declare handle: TaskData;
  declare function: TaskFunction;

  constructor(
    link: Task,
    identity: number,
    priority: number,
    queue: Work,
    state: TaskState,
    handle: TaskData,
    fn: TaskFunction,
  ) {
    super();
    this.link = link;
    this.identity = identity;
    this.priority = priority;
    this.input = queue;
    this.setPacketPending(state.isPacketPending());
    this.setTaskWaiting(state.isTaskWaiting());
    this.setTaskHolding(state.isTaskHolding());
    this.handle = handle;
    this.function = fn;
  }

  addInputAndCheckPriority(packet: Packet, current: TaskControlBlock): TaskControlBlock {
    if (this.input === NO_WORK) {
      this.input = packet;
      this.setPacketPending(true);
      if (this.priority > current.priority) return this;
    } else {
      this.input = this.append(packet, this.input);
    }
    return current;
  }

  runTask(): Task {
    let message: Work;
    if (this.isWaitingWithPacket()) {
      message = this.input;
      this.input = message!.link;
      if (this.input === NO_WORK) {
        this.becomeRunning();
      } else {
        this.becomePending();
      }
    } else {
      message = NO_WORK;
    }
    return this.function(message, this.handle);
  }
}

class Scheduler extends KernelObject {
  declare queuePacketCount: number;
  declare holdCount: number;
  declare table: Task[];
  declare list: Task;
  declare current: Task;
  declare currentIdentity: number;

  constructor() {
    super();
    this.queuePacketCount = 0;
    this.holdCount = 0;
    this.table = new Array<Task>(TASKS).fill(NO_TASK);
    this.list = NO_TASK;
    this.current = NO_TASK;
    this.currentIdentity = 0;
  }

  createDevice(identity: number, priority: number, queue: Work, state: TaskState): void {
    this.createTask(identity, priority, queue, state, new DeviceData(), (work, data) => {
      const device = data as DeviceData;
      let packet = work;
      if (packet === NO_WORK) {
        packet = device.pending;
        if (packet === NO_WORK) return this.markWaiting();
        device.pending = NO_WORK;
        return this.queuePacket(packet);
      }
      device.pending = packet;
      return this.holdSelf();
    });
  }

  createHandler(identity: number, priority: number, queue: Work, state: TaskState): void {
    this.createTask(identity, priority, queue, state, new HandlerData(), (work, data) => {
      const handler = data as HandlerData;
      if (work !== NO_WORK) {
        if (work.kind === WORK_PACKET) {
          handler.workInAdd(work);
        } else {
          handler.deviceInAdd(work);
        }
      }

      const workPacket = handler.workIn;
      if (workPacket === NO_WORK) return this.markWaiting();

      const count = workPacket.datum;
      if (count >= DATA_SIZE) {
        handler.workIn = workPacket.link;
        return this.queuePacket(workPacket);
      }

      const devicePacket = handler.deviceIn;
      if (devicePacket === NO_WORK) return this.markWaiting();
      handler.deviceIn = devicePacket.link;
      devicePacket.datum = workPacket.data[count]!;
      workPacket.datum = count + 1;
      return this.queuePacket(devicePacket);
    });
  }

  createIdler(identity: number, priority: number, queue: Work, state: TaskState): void {
    this.createTask(identity, priority, queue, state, new IdleData(), (_work, data) => {
      const idle = data as IdleData;
      idle.count -= 1;
      if (idle.count === 0) return this.holdSelf();
      if ((idle.control & 1) === 0) {
        idle.control /= 2;
        return this.release(DEVICE_A);
      }
      idle.control = (idle.control / 2) ^ 53256;
      return this.release(DEVICE_B);
    });
  }

  createWorker(identity: number, priority: number, queue: Work, state: TaskState): void {
    this.createTask(identity, priority, queue, state, new WorkerData(), (work, data) => {
      const worker = data as WorkerData;
      if (work === NO_WORK) return this.markWaiting();

      worker.destination = worker.destination === HANDLER_A ? HANDLER_B : HANDLER_A;
      work.identity = worker.destination;
      work.datum = 0;
      for (let i = 0; i < DATA_SIZE; i += 1) {
        worker.count += 1;
        if (worker.count > 26) worker.count = 1;
        work.data[i] = 65 + worker.count - 1;
      }
      return this.queuePacket(work);
    });
  }

  createPacket(link: Work, identity: number, kind: number): Packet {
    return new Packet(link, identity, kind);
  }

  createTask(
    identity: number,
    priority: number,
    queue: Work,
    state: TaskState,
    data: TaskData,
    fn: TaskFunction,
  ): void {
    const task = new TaskControlBlock(this.list, identity, priority, queue, state, data, fn);
    this.list = task;
    this.table[identity] = task;
  }

  start(): boolean {
    let queue: Packet;

    this.createIdler(IDLER, 0, NO_WORK, TaskState.createRunning());

    queue = this.createPacket(NO_WORK, WORKER, WORK_PACKET);
    queue = this.createPacket(queue, WORKER, WORK_PACKET);
    this.createWorker(WORKER, 1000, queue, TaskState.createWaitingWithPacket());

    queue = this.createPacket(NO_WORK, DEVICE_A, DEVICE_PACKET);
    queue = this.createPacket(queue, DEVICE_A, DEVICE_PACKET);
    queue = this.createPacket(queue, DEVICE_A, DEVICE_PACKET);
    this.createHandler(HANDLER_A, 2000, queue, TaskState.createWaitingWithPacket());

    queue = this.createPacket(NO_WORK, DEVICE_B, DEVICE_PACKET);
    queue = this.createPacket(queue, DEVICE_B, DEVICE_PACKET);
    queue = this.createPacket(queue, DEVICE_B, DEVICE_PACKET);
    this.createHandler(HANDLER_B, 3000, queue, TaskState.createWaitingWithPacket());

    this.createDevice(DEVICE_A, 4000, NO_WORK, TaskState.createWaiting());
    this.createDevice(DEVICE_B, 5000, NO_WORK, TaskState.createWaiting());

    this.schedule();
    return this.queuePacketCount === 23246 && this.holdCount === 9297;
  }

  findTask(identity: number): TaskControlBlock {
    const task = this.table[identity]!;
    if (task === NO_TASK) throw new Error(`no task ${identity}`);
    return task;
  }

  holdSelf(): Task {
    this.holdCount += 1;
    this.current!.setTaskHolding(true);
    return this.current!.link;
  }

  queuePacket(packet: Packet): Task {
    const task = this.findTask(packet.identity);
    if (task === NO_TASK) return NO_TASK;
    this.queuePacketCount += 1;
    packet.link = NO_WORK;
    packet.identity = this.currentIdentity;
    return task.addInputAndCheckPriority(packet, this.current!);
  }

  release(identity: number): Task {
    const task = this.findTask(identity);
    if (task === NO_TASK) return NO_TASK;
    task.setTaskHolding(false);
    return task.priority > this.current!.priority ? task : this.current;
  }

  markWaiting(): Task {
    this.current!.setTaskWaiting(true);
    return this.current;
  }

  schedule(): void {
    this.current = this.list;
    while (this.current !== NO_TASK) {
      if (this.current.isTaskHoldingOrWaiting()) {
        this.current = this.current.link;
      } else {
        this.currentIdentity = this.current.identity;
        this.current = this.current.runTask();
      }
    }
  }
}

class Richards extends Benchmark<boolean> {
  override benchmark(): boolean {
    return new Scheduler().start();
  }

  verifyResult(result: boolean): boolean {
    return result;
  }
}

export const newInstance = (): Benchmark<boolean> => new Richards();
