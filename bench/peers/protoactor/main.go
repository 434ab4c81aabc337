// Proto.Actor for Go: actors are receivers of a context; requests carry the PID of the sender, which is cheaper than the
// envelope of Request. GOMAXPROCS=1 ./programs PROGRAM ACTORS COUNT WARMUPS WARMUP_MS SAMPLES LIMIT_MS warms up, runs, and
// prints one line of JSON, as described in js/measure.ts.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

const least = 3

var system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}))

type start struct{}

func spawn(make func() actor.Actor) *actor.PID {
	return system.Root.Spawn(actor.PropsFromProducer(make))
}

func awaited(finished chan int64, actors ...*actor.PID) int64 {
	result := <-finished
	for _, pid := range actors {
		system.Root.Stop(pid)
	}
	return result
}

// PingPong

type pingMessage struct{ from *actor.PID }
type pongMessage struct{}

type pong struct{}

func (*pong) Receive(context actor.Context) {
	if message, ok := context.Message().(*pingMessage); ok {
		context.Send(message.from, &pongMessage{})
	}
}

type ping struct {
	pong     *actor.PID
	count    int
	pongs    int
	finished chan int64
}

func (self *ping) Receive(context actor.Context) {
	switch context.Message().(type) {
	case *pongMessage:
		self.pongs++
		if self.pongs < self.count {
			context.Send(self.pong, &pingMessage{context.Self()})
		} else {
			self.finished <- int64(self.pongs)
		}
	case *start:
		context.Send(self.pong, &pingMessage{context.Self()})
	}
}

func pingPong(_, count int) int64 {
	finished := make(chan int64, 1)
	pong := spawn(func() actor.Actor { return &pong{} })
	ping := spawn(func() actor.Actor { return &ping{pong: pong, count: count, finished: finished} })
	system.Root.Send(ping, &start{})
	return awaited(finished, ping, pong)
}

// Counting

type increment struct{}
type retrieve struct{ from *actor.PID }
type counted struct{ count int64 }

type counter struct{ count int64 }

func (self *counter) Receive(context actor.Context) {
	switch message := context.Message().(type) {
	case *increment:
		self.count++
	case *retrieve:
		context.Send(message.from, &counted{self.count})
	}
}

type producer struct {
	counter  *actor.PID
	count    int
	finished chan int64
}

func (self *producer) Receive(context actor.Context) {
	switch message := context.Message().(type) {
	case *start:
		for i := 0; i < self.count; i++ {
			context.Send(self.counter, &increment{})
		}
		context.Send(self.counter, &retrieve{context.Self()})
	case *counted:
		self.finished <- message.count
	}
}

func counting(_, count int) int64 {
	finished := make(chan int64, 1)
	counter := spawn(func() actor.Actor { return &counter{} })
	producer := spawn(func() actor.Actor { return &producer{counter, count, finished} })
	system.Root.Send(producer, &start{})
	return awaited(finished, counter, producer)
}

// ThreadRing

type next struct{ link *actor.PID }
type hop struct{ left int }

type link struct {
	id       int
	next     *actor.PID
	finished chan int64
}

func (self *link) Receive(context actor.Context) {
	switch message := context.Message().(type) {
	case *hop:
		if message.left == 0 {
			self.finished <- int64(self.id)
		} else {
			context.Send(self.next, &hop{message.left - 1})
		}
	case *next:
		self.next = message.link
	}
}

func threadRing(actors, count int) int64 {
	finished := make(chan int64, 1)
	links := make([]*actor.PID, actors)
	for i := range links {
		links[i] = spawn(func() actor.Actor { return &link{id: i, finished: finished} })
	}
	for i, pid := range links {
		system.Root.Send(pid, &next{links[(i+1)%actors]})
	}
	system.Root.Send(links[0], &hop{count})
	return awaited(finished, links...)
}

// ForkJoin

type work struct{ from *actor.PID }
type done struct{ value float64 }

type worker struct{}

func (*worker) Receive(context actor.Context) {
	if message, ok := context.Message().(*work); ok {
		context.Send(message.from, &done{math.Pow(math.Sin(37.2), 2)})
		context.Stop(context.Self())
	}
}

type master struct {
	count    int
	joined   int
	finished chan int64
}

func (self *master) Receive(context actor.Context) {
	switch context.Message().(type) {
	case *done:
		self.joined++
		if self.joined == self.count {
			self.finished <- int64(self.joined)
		}
	case *start:
		props := actor.PropsFromProducer(func() actor.Actor { return &worker{} })
		for i := 0; i < self.count; i++ {
			context.Send(system.Root.Spawn(props), &work{context.Self()})
		}
	}
}

func forkJoin(_, count int) int64 {
	finished := make(chan int64, 1)
	master := spawn(func() actor.Actor { return &master{count: count, finished: finished} })
	system.Root.Send(master, &start{})
	return awaited(finished, master)
}

// Big

type peersMessage struct{ peers []*actor.PID }

type sink struct {
	left     int
	sum      int64
	finished chan int64
}

func (self *sink) Receive(context actor.Context) {
	if message, ok := context.Message().(*counted); ok {
		self.sum += message.count
		self.left--
		if self.left == 0 {
			self.finished <- self.sum
		}
	}
}

type peer struct {
	sink  *actor.PID
	peers []*actor.PID
	left  int
	seed  int
}

func (self *peer) pingNext(context actor.Context) {
	self.seed = (self.seed*1309 + 13849) & 65535
	context.Send(self.peers[self.seed%len(self.peers)], &pingMessage{context.Self()})
}

func (self *peer) Receive(context actor.Context) {
	switch message := context.Message().(type) {
	case *pingMessage:
		context.Send(message.from, &pongMessage{})
	case *pongMessage:
		self.left--
		if self.left > 0 {
			self.pingNext(context)
		} else {
			context.Send(self.sink, &counted{int64(self.seed)})
		}
	case *peersMessage:
		self.peers = message.peers
		self.pingNext(context)
	}
}

func big(actors, count int) int64 {
	finished := make(chan int64, 1)
	sink := spawn(func() actor.Actor { return &sink{left: actors, finished: finished} })
	peers := make([]*actor.PID, actors)
	for seed := range peers {
		peers[seed] = spawn(func() actor.Actor { return &peer{sink: sink, left: count, seed: seed} })
	}
	for _, pid := range peers {
		system.Root.Send(pid, &peersMessage{peers})
	}
	result := awaited(finished, peers...)
	system.Root.Stop(sink)
	return result
}

// Measuring

var programs = map[string]func(actors, count int) int64{
	"PingPong":   pingPong,
	"Counting":   counting,
	"ThreadRing": threadRing,
	"ForkJoin":   forkJoin,
	"Big":        big,
}

func since(began time.Time) float64 {
	return time.Since(began).Seconds() * 1000
}

func cpuTime() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func main() {
	name := os.Args[1]
	program, known := programs[name]
	if !known {
		panic("no program " + name)
	}
	var numbers [6]int
	for i := range numbers {
		number, err := strconv.Atoi(os.Args[2+i])
		if err != nil {
			panic(err)
		}
		numbers[i] = number
	}
	actors, count, warmups, samples := numbers[0], numbers[1], numbers[2], numbers[4]
	warmupTime, limit := float64(numbers[3]), float64(numbers[5])

	result := program(actors, count)
	began := cpuTime()
	for made := 1; cpuTime()-began < limit && (made < warmups || cpuTime()-began < warmupTime); made++ {
		program(actors, count)
	}

	var walls, cpus []float64
	began = cpuTime()
	for len(walls) < samples && (len(walls) < least || cpuTime()-began < limit) {
		cpu := cpuTime()
		start := time.Now()
		again := program(actors, count)
		walls = append(walls, since(start))
		cpus = append(cpus, cpuTime()-cpu)
		if again != result {
			panic(fmt.Sprintf("%s answered %d once and %d another time", name, result, again))
		}
	}
	line, err := json.Marshal(map[string]any{"name": name, "iterations": walls, "cpu": cpus, "result": result})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(line))
}
