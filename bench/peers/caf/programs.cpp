// CAF 0.17, as in Debian: function-based event-driven actors, with state where needed, on the default scheduler with one
// thread. ./programs PROGRAM ACTORS COUNT WARMUPS WARMUP_MS SAMPLES LIMIT_MS warms up, runs, and prints one line of JSON, as
// described in js/measure.ts.

#include <caf/all.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using caf::actor;
using caf::actor_cast;
using caf::behavior;
using caf::event_based_actor;
using caf::stateful_actor;

using start_atom = caf::atom_constant<caf::atom("start")>;
using stop_atom = caf::atom_constant<caf::atom("stop")>;
using ping_atom = caf::atom_constant<caf::atom("ping")>;
using pong_atom = caf::atom_constant<caf::atom("pong")>;
using increment_atom = caf::atom_constant<caf::atom("increment")>;
using retrieve_atom = caf::atom_constant<caf::atom("retrieve")>;
using counted_atom = caf::atom_constant<caf::atom("counted")>;
using next_atom = caf::atom_constant<caf::atom("next")>;
using hop_atom = caf::atom_constant<caf::atom("hop")>;
using work_atom = caf::atom_constant<caf::atom("work")>;
using finished_atom = caf::atom_constant<caf::atom("finished")>;

/// Shared, because the actor that fulfils the promise may still use it when the waiting thread continues.
using result = std::shared_ptr<std::promise<int64_t>>;

int64_t awaited(const result& finished, const std::vector<actor>& actors) {
  auto value = finished->get_future().get();
  for (auto& each : actors)
    caf::anon_send(each, stop_atom::value);
  return value;
}

result make_result() {
  return std::make_shared<std::promise<int64_t>>();
}

template <class Actor>
actor self_of(Actor* self) {
  return actor_cast<actor>(self);
}

// PingPong

behavior pong(event_based_actor* self) {
  return {
    [=](ping_atom, const actor& from) { self->send(from, pong_atom::value); },
    [=](stop_atom) { self->quit(); },
  };
}

struct ping_state {
  int pongs = 0;
};

behavior ping(stateful_actor<ping_state>* self, actor pong, int count, result finished) {
  return {
    [=](start_atom) { self->send(pong, ping_atom::value, self_of(self)); },
    [=](pong_atom) {
      self->state.pongs++;
      if (self->state.pongs < count)
        self->send(pong, ping_atom::value, self_of(self));
      else
        finished->set_value(self->state.pongs);
    },
    [=](stop_atom) { self->quit(); },
  };
}

int64_t ping_pong(caf::actor_system& system, int, int count) {
  auto finished = make_result();
  auto ponger = system.spawn(pong);
  auto pinger = system.spawn(ping, ponger, count, finished);
  caf::anon_send(pinger, start_atom::value);
  return awaited(finished, {pinger, ponger});
}

// Counting

struct counter_state {
  int64_t count = 0;
};

behavior counter(stateful_actor<counter_state>* self) {
  return {
    [=](increment_atom) { self->state.count++; },
    [=](retrieve_atom, const actor& from) { self->send(from, counted_atom::value, self->state.count); },
    [=](stop_atom) { self->quit(); },
  };
}

behavior producer(event_based_actor* self, actor counter, int count, result finished) {
  return {
    [=](start_atom) {
      for (int i = 0; i < count; i++)
        self->send(counter, increment_atom::value);
      self->send(counter, retrieve_atom::value, self_of(self));
    },
    [=](counted_atom, int64_t seen) { finished->set_value(seen); },
    [=](stop_atom) { self->quit(); },
  };
}

int64_t counting(caf::actor_system& system, int, int count) {
  auto finished = make_result();
  auto counts = system.spawn(counter);
  auto produces = system.spawn(producer, counts, count, finished);
  caf::anon_send(produces, start_atom::value);
  return awaited(finished, {counts, produces});
}

// ThreadRing

struct link_state {
  actor next;
};

behavior link_in_ring(stateful_actor<link_state>* self, int id, result finished) {
  return {
    [=](next_atom, const actor& next) { self->state.next = next; },
    [=](hop_atom, int left) {
      if (left == 0)
        finished->set_value(id);
      else
        self->send(self->state.next, hop_atom::value, left - 1);
    },
    [=](stop_atom) {
      self->state.next = nullptr;
      self->quit();
    },
  };
}

int64_t thread_ring(caf::actor_system& system, int actors, int count) {
  auto finished = make_result();
  std::vector<actor> links;
  for (int i = 0; i < actors; i++)
    links.push_back(system.spawn(link_in_ring, i, finished));
  for (int i = 0; i < actors; i++)
    caf::anon_send(links[i], next_atom::value, links[(i + 1) % actors]);
  caf::anon_send(links[0], hop_atom::value, count);
  return awaited(finished, links);
}

// ForkJoin

behavior worker(event_based_actor* self) {
  return {
    [=](work_atom, const actor& master) {
      self->send(master, finished_atom::value, std::pow(std::sin(37.2), 2));
      self->quit();
    },
  };
}

struct master_state {
  int joined = 0;
};

behavior master(stateful_actor<master_state>* self, int count, result finished) {
  return {
    [=](start_atom) {
      for (int i = 0; i < count; i++)
        self->send(self->spawn(worker), work_atom::value, self_of(self));
    },
    [=](finished_atom, double) {
      self->state.joined++;
      if (self->state.joined == count)
        finished->set_value(count);
    },
    [=](stop_atom) { self->quit(); },
  };
}

int64_t fork_join(caf::actor_system& system, int, int count) {
  auto finished = make_result();
  auto joins = system.spawn(master, count, finished);
  caf::anon_send(joins, start_atom::value);
  return awaited(finished, {joins});
}

// Big

struct sink_state {
  int left = 0;
  int64_t sum = 0;
};

behavior sink(stateful_actor<sink_state>* self, int actors, result finished) {
  self->state.left = actors;
  return {
    [=](finished_atom, int seed) {
      self->state.sum += seed;
      self->state.left--;
      if (self->state.left == 0)
        finished->set_value(self->state.sum);
    },
    [=](stop_atom) { self->quit(); },
  };
}

struct peer_state {
  std::vector<actor> peers;
  int seed = 0;
  int left = 0;
};

using peer_actor = stateful_actor<peer_state>;

void ping_next(peer_actor* self) {
  auto& state = self->state;
  state.seed = (state.seed * 1309 + 13849) & 65535;
  self->send(state.peers[state.seed % state.peers.size()], ping_atom::value, self_of(self));
}

behavior peer(peer_actor* self, actor sink, int count, int seed) {
  self->state.seed = seed;
  self->state.left = count;
  return {
    [=](start_atom, const std::vector<actor>& peers) {
      self->state.peers = peers;
      ping_next(self);
    },
    [=](ping_atom, const actor& from) { self->send(from, pong_atom::value); },
    [=](pong_atom) {
      self->state.left--;
      if (self->state.left > 0)
        ping_next(self);
      else
        self->send(sink, finished_atom::value, self->state.seed);
    },
    [=](stop_atom) {
      self->state.peers.clear();
      self->quit();
    },
  };
}

int64_t big(caf::actor_system& system, int actors, int count) {
  auto finished = make_result();
  auto sums = system.spawn(sink, actors, finished);
  std::vector<actor> peers;
  for (int seed = 0; seed < actors; seed++)
    peers.push_back(system.spawn(peer, sums, count, seed));
  for (auto& each : peers)
    caf::anon_send(each, start_atom::value, peers);
  auto value = awaited(finished, peers);
  caf::anon_send(sums, stop_atom::value);
  return value;
}

// Measuring

constexpr size_t least = 3;

using program = int64_t (*)(caf::actor_system&, int, int);

program named(const std::string& name) {
  if (name == "PingPong") return ping_pong;
  if (name == "Counting") return counting;
  if (name == "ThreadRing") return thread_ring;
  if (name == "ForkJoin") return fork_join;
  if (name == "Big") return big;
  throw std::invalid_argument("no program " + name);
}

double milliseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

void print(const char* name, const std::vector<double>& numbers) {
  std::printf("\"%s\":[", name);
  for (size_t i = 0; i < numbers.size(); i++)
    std::printf(i == 0 ? "%.4f" : ",%.4f", numbers[i]);
  std::printf("],");
}

int main(int argc, char** argv) {
  if (argc != 8)
    return std::fprintf(stderr, "programs PROGRAM ACTORS COUNT WARMUPS WARMUP_MS SAMPLES LIMIT_MS\n"), 2;
  auto run = named(argv[1]);
  int actors = std::atoi(argv[2]);
  int count = std::atoi(argv[3]);
  int warmups = std::atoi(argv[4]);
  double warmup_time = std::atof(argv[5]);
  size_t samples = std::strtoul(argv[6], nullptr, 10);
  double limit = std::atof(argv[7]);

  caf::actor_system_config config;
  config.set("scheduler.max-threads", 1);
  caf::actor_system system{config};
  auto now = [] { return milliseconds(CLOCK_MONOTONIC); };
  auto used = [] { return milliseconds(CLOCK_PROCESS_CPUTIME_ID); };

  int64_t value = run(system, actors, count);
  double began = used();
  for (int done = 1; used() - began < limit && (done < warmups || used() - began < warmup_time); done++)
    run(system, actors, count);

  std::vector<double> walls;
  std::vector<double> cpus;
  began = used();
  while (walls.size() < samples && (walls.size() < least || used() - began < limit)) {
    double cpu = used();
    double start = now();
    int64_t again = run(system, actors, count);
    walls.push_back(now() - start);
    cpus.push_back(used() - cpu);
    if (again != value)
      throw std::runtime_error("two iterations returned different results");
  }
  std::printf("{\"name\":\"%s\",", argv[1]);
  print("iterations", walls);
  print("cpu", cpus);
  std::printf("\"result\":%lld}\n", static_cast<long long>(value));
  std::fflush(stdout);
  // Exits without waiting for the actor system to shut down.
  std::_Exit(0);
}
