// Pekko: classic actors, on which typed ones are built and a little slower, on the default dispatcher with one thread.
// java -XX:+UseSerialGC -Xmx4g -cp 'lib/*:classes' Programs PROGRAM ACTORS COUNT WARMUPS WARMUP_MS SAMPLES LIMIT_MS
// warms up, runs, and prints one line of JSON, as described in js/measure.ts.

import com.typesafe.config.ConfigFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.UntypedAbstractActor;
import org.apache.pekko.japi.Creator;

public class Programs {
  static final int LEAST = 3;
  static ActorSystem system;

  record Start() {}

  // PingPong

  record PingMessage() {}

  record PongMessage() {}

  static class Pong extends UntypedAbstractActor {
    @Override
    public void onReceive(Object message) {
      if (message instanceof PingMessage) getSender().tell(new PongMessage(), getSelf());
      else unhandled(message);
    }
  }

  static class Ping extends UntypedAbstractActor {
    final ActorRef pong;
    final int count;
    final CompletableFuture<Long> finished;
    int pongs = 0;

    Ping(ActorRef pong, int count, CompletableFuture<Long> finished) {
      this.pong = pong;
      this.count = count;
      this.finished = finished;
    }

    @Override
    public void onReceive(Object message) {
      if (message instanceof PongMessage) {
        pongs++;
        if (pongs < count) pong.tell(new PingMessage(), getSelf());
        else finished.complete((long) pongs);
      } else if (message instanceof Start) pong.tell(new PingMessage(), getSelf());
      else unhandled(message);
    }
  }

  static long pingPong(int actors, int count) {
    CompletableFuture<Long> finished = new CompletableFuture<>();
    ActorRef pong = spawn(Pong.class, Pong::new);
    ActorRef ping = spawn(Ping.class, () -> new Ping(pong, count, finished));
    ping.tell(new Start(), ActorRef.noSender());
    return awaited(finished, ping, pong);
  }

  // Counting

  record Increment() {}

  record Retrieve() {}

  record Counted(long count) {}

  static class Counter extends UntypedAbstractActor {
    long count = 0;

    @Override
    public void onReceive(Object message) {
      if (message instanceof Increment) count++;
      else if (message instanceof Retrieve) getSender().tell(new Counted(count), getSelf());
      else unhandled(message);
    }
  }

  static class Producer extends UntypedAbstractActor {
    final ActorRef counter;
    final int count;
    final CompletableFuture<Long> finished;

    Producer(ActorRef counter, int count, CompletableFuture<Long> finished) {
      this.counter = counter;
      this.count = count;
      this.finished = finished;
    }

    @Override
    public void onReceive(Object message) {
      if (message instanceof Start) {
        for (int i = 0; i < count; i++) counter.tell(new Increment(), getSelf());
        counter.tell(new Retrieve(), getSelf());
      } else if (message instanceof Counted counted) finished.complete(counted.count());
      else unhandled(message);
    }
  }

  static long counting(int actors, int count) {
    CompletableFuture<Long> finished = new CompletableFuture<>();
    ActorRef counter = spawn(Counter.class, Counter::new);
    ActorRef producer = spawn(Producer.class, () -> new Producer(counter, count, finished));
    producer.tell(new Start(), ActorRef.noSender());
    return awaited(finished, counter, producer);
  }

  // ThreadRing

  record Next(ActorRef link) {}

  record Hop(int left) {}

  static class Link extends UntypedAbstractActor {
    final int id;
    final CompletableFuture<Long> finished;
    ActorRef next;

    Link(int id, CompletableFuture<Long> finished) {
      this.id = id;
      this.finished = finished;
    }

    @Override
    public void onReceive(Object message) {
      if (message instanceof Hop hop) {
        if (hop.left() == 0) finished.complete((long) id);
        else next.tell(new Hop(hop.left() - 1), getSelf());
      } else if (message instanceof Next given) next = given.link();
      else unhandled(message);
    }
  }

  static long threadRing(int actors, int count) {
    CompletableFuture<Long> finished = new CompletableFuture<>();
    ActorRef[] links = new ActorRef[actors];
    for (int i = 0; i < actors; i++) {
      int id = i;
      links[i] = spawn(Link.class, () -> new Link(id, finished));
    }
    for (int i = 0; i < actors; i++) links[i].tell(new Next(links[(i + 1) % actors]), ActorRef.noSender());
    links[0].tell(new Hop(count), ActorRef.noSender());
    return awaited(finished, links);
  }

  // ForkJoin

  record Work() {}

  record Finished(double value) {}

  static class Worker extends UntypedAbstractActor {
    @Override
    public void onReceive(Object message) {
      if (message instanceof Work) {
        getSender().tell(new Finished(Math.pow(Math.sin(37.2), 2)), getSelf());
        getContext().stop(getSelf());
      } else unhandled(message);
    }
  }

  static final Props WORKER = Props.create(Worker.class, Worker::new);

  static class Master extends UntypedAbstractActor {
    final int count;
    final CompletableFuture<Long> finished;
    long joined = 0;

    Master(int count, CompletableFuture<Long> finished) {
      this.count = count;
      this.finished = finished;
    }

    @Override
    public void onReceive(Object message) {
      if (message instanceof Finished) {
        joined++;
        if (joined == count) finished.complete(joined);
      } else if (message instanceof Start) {
        for (int i = 0; i < count; i++) system.actorOf(WORKER).tell(new Work(), getSelf());
      } else unhandled(message);
    }
  }

  static long forkJoin(int actors, int count) {
    CompletableFuture<Long> finished = new CompletableFuture<>();
    ActorRef master = spawn(Master.class, () -> new Master(count, finished));
    master.tell(new Start(), ActorRef.noSender());
    return awaited(finished, master);
  }

  // Big

  record Peers(ActorRef[] peers) {}

  static class Sink extends UntypedAbstractActor {
    final CompletableFuture<Long> finished;
    int left;
    long sum = 0;

    Sink(int actors, CompletableFuture<Long> finished) {
      this.left = actors;
      this.finished = finished;
    }

    @Override
    public void onReceive(Object message) {
      if (message instanceof Counted seed) {
        sum += seed.count();
        left--;
        if (left == 0) finished.complete(sum);
      } else unhandled(message);
    }
  }

  static class Peer extends UntypedAbstractActor {
    final ActorRef sink;
    ActorRef[] peers;
    int left;
    int seed;

    Peer(ActorRef sink, int count, int seed) {
      this.sink = sink;
      this.left = count;
      this.seed = seed;
    }

    void pingNext() {
      seed = (seed * 1309 + 13849) & 65535;
      peers[seed % peers.length].tell(new PingMessage(), getSelf());
    }

    @Override
    public void onReceive(Object message) {
      if (message instanceof PingMessage) getSender().tell(new PongMessage(), getSelf());
      else if (message instanceof PongMessage) {
        left--;
        if (left > 0) pingNext();
        else sink.tell(new Counted(seed), getSelf());
      } else if (message instanceof Peers given) {
        peers = given.peers();
        pingNext();
      } else unhandled(message);
    }
  }

  static long big(int actors, int count) {
    CompletableFuture<Long> finished = new CompletableFuture<>();
    ActorRef sink = spawn(Sink.class, () -> new Sink(actors, finished));
    ActorRef[] peers = new ActorRef[actors];
    for (int i = 0; i < actors; i++) {
      int seed = i;
      peers[i] = spawn(Peer.class, () -> new Peer(sink, count, seed));
    }
    for (ActorRef peer : peers) peer.tell(new Peers(peers.clone()), ActorRef.noSender());
    long result = awaited(finished, peers);
    system.stop(sink);
    return result;
  }

  // Measuring

  interface Program {
    long run(int actors, int count);
  }

  static <T extends UntypedAbstractActor> ActorRef spawn(Class<T> type, Creator<T> made) {
    return system.actorOf(Props.create(type, made));
  }

  static long awaited(CompletableFuture<Long> finished, ActorRef... actors) {
    long result = finished.join();
    for (ActorRef actor : actors) system.stop(actor);
    return result;
  }

  static Program named(String name) {
    return switch (name) {
      case "PingPong" -> Programs::pingPong;
      case "Counting" -> Programs::counting;
      case "ThreadRing" -> Programs::threadRing;
      case "ForkJoin" -> Programs::forkJoin;
      case "Big" -> Programs::big;
      default -> throw new IllegalArgumentException("no program " + name);
    };
  }

  public static void main(String[] args) throws IOException {
    String name = args[0];
    int actors = Integer.parseInt(args[1]);
    int count = Integer.parseInt(args[2]);
    int warmups = Integer.parseInt(args[3]);
    double warmupTime = Double.parseDouble(args[4]);
    int samples = Integer.parseInt(args[5]);
    double limit = Double.parseDouble(args[6]);
    Program program = named(name);
    system = ActorSystem.create(
        "peers",
        ConfigFactory.parseString(
                "pekko.loglevel=OFF\npekko.stdout-loglevel=OFF\npekko.log-dead-letters=off\n"
                    + "pekko.actor.default-dispatcher.fork-join-executor{parallelism-min=1\nparallelism-max=1}")
            .withFallback(ConfigFactory.load()));

    long result = program.run(actors, count);
    double began = cpuTime();
    for (int done = 1; cpuTime() - began < limit && (done < warmups || cpuTime() - began < warmupTime); done++)
      program.run(actors, count);

    List<Double> walls = new ArrayList<>();
    List<Double> cpus = new ArrayList<>();
    began = cpuTime();
    while (walls.size() < samples && (walls.size() < LEAST || cpuTime() - began < limit)) {
      double cpu = cpuTime();
      long start = System.nanoTime();
      long again = program.run(actors, count);
      walls.add(since(start));
      cpus.add(cpuTime() - cpu);
      if (again != result)
        throw new IllegalStateException(name + " answered " + result + " once and " + again + " another time");
    }
    System.out.println(
        "{\"name\":\"" + name + "\",\"iterations\":" + json(walls) + ",\"cpu\":" + json(cpus) + ",\"result\":" + result + "}");
    System.exit(0);
  }

  static double since(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1e6;
  }

  /** CPU milliseconds of all threads. The JVM's own counter has a resolution of ten. */
  static double cpuTime() throws IOException {
    long nanoseconds = 0;
    for (File thread : new File("/proc/self/task").listFiles())
      nanoseconds += Long.parseLong(Files.readString(thread.toPath().resolve("schedstat")).split(" ")[0]);
    return nanoseconds / 1e6;
  }

  static String json(List<Double> numbers) {
    StringJoiner joined = new StringJoiner(",", "[", "]");
    for (double number : numbers) joined.add(Double.toString(number));
    return joined.toString();
  }
}
