%% Erlang: plain processes. Started as
%%   erl +S 1:1 +sbwt none -noshell -pa DIR -run programs main PROGRAM ACTORS COUNT WARMUPS WARMUP_MS SAMPLES LIMIT_MS
%% it warms up, runs, and prints one line of JSON, as described in js/measure.ts.
-module(programs).
-export([main/1]).

-define(LEAST, 3).

main([Name | Numbers]) ->
    [Actors, Count, Warmups, WarmupTime, Samples, Limit] = [list_to_integer(N) || N <- Numbers],
    Run = fun() -> program(Name, Actors, Count) end,
    Result = Run(),
    warm_up(Run, 1, Warmups, WarmupTime, Limit, cpu_ms()),
    Times = iterate(Run, Name, Result, [], Samples, Limit, cpu_ms()),
    io:format("{\"name\":\"~s\",\"iterations\":[~s],\"cpu\":[~s],\"result\":~w}~n",
              [Name, join([Wall || {Wall, _} <- Times]), join([Cpu || {_, Cpu} <- Times]), Result]),
    halt(0).

warm_up(Run, Done, Warmups, Time, Limit, Began) ->
    Elapsed = cpu_ms() - Began,
    if
        Elapsed < Limit andalso (Done < Warmups orelse Elapsed < Time) ->
            Run(),
            warm_up(Run, Done + 1, Warmups, Time, Limit, Began);
        true -> ok
    end.

iterate(Run, Name, Result, Times, Samples, Limit, Began) ->
    Done = length(Times),
    Late = cpu_ms() - Began >= Limit,
    if
        Done =:= Samples orelse (Late andalso Done >= ?LEAST) -> lists:reverse(Times);
        true ->
            Cpu = cpu_ms(),
            Start = now_ms(),
            Again = Run(),
            Wall = now_ms() - Start,
            CpuAfter = cpu_ms(),
            case Again of
                Result -> ok;
                _ -> error({different_results, Name, Result, Again})
            end,
            iterate(Run, Name, Result, [{Wall, CpuAfter - Cpu} | Times], Samples, Limit, Began)
    end.

now_ms() -> erlang:monotonic_time(microsecond) / 1000.

cpu_ms() -> {Total, _} = statistics(runtime), Total.

join(Numbers) -> lists:join(",", [io_lib:format("~w", [N]) || N <- Numbers]).

program("PingPong", _, Count) -> ping_pong(Count);
program("Counting", _, Count) -> counting(Count);
program("ThreadRing", Actors, Count) -> thread_ring(Actors, Count);
program("ForkJoin", _, Count) -> fork_join(Count);
program("Big", Actors, Count) -> big(Actors, Count).

%% PingPong

ping_pong(Count) ->
    Main = self(),
    Pong = spawn_link(fun pong/0),
    Ping = spawn_link(fun() -> ping(Pong, Main, 0, Count) end),
    Ping ! start,
    receive {finished, Pongs} -> Pong ! stop, Pongs end.

pong() ->
    receive
        {ping, From} -> From ! pong, pong();
        stop -> ok
    end.

ping(_, Main, Count, Count) -> Main ! {finished, Count};
ping(Pong, Main, Pongs, Count) ->
    receive
        start -> Pong ! {ping, self()}, ping(Pong, Main, Pongs, Count);
        pong when Pongs + 1 < Count -> Pong ! {ping, self()}, ping(Pong, Main, Pongs + 1, Count);
        pong -> ping(Pong, Main, Pongs + 1, Count)
    end.

%% Counting

counting(Count) ->
    Main = self(),
    Counter = spawn_link(fun() -> counter(0) end),
    spawn_link(fun() -> producer(Counter, Count, Main) end),
    receive {finished, Seen} -> Seen end.

counter(Seen) ->
    receive
        increment -> counter(Seen + 1);
        {retrieve, From} -> From ! {counted, Seen}
    end.

producer(Counter, 0, Main) ->
    Counter ! {retrieve, self()},
    receive {counted, Seen} -> Main ! {finished, Seen} end;
producer(Counter, Left, Main) ->
    Counter ! increment,
    producer(Counter, Left - 1, Main).

%% ThreadRing

thread_ring(Actors, Hops) ->
    Main = self(),
    Links = [spawn_link(fun() -> link_of(Id, Main) end) || Id <- lists:seq(0, Actors - 1)],
    [First | Rest] = Links,
    lists:foreach(fun({Link, Next}) -> Link ! {next, Next} end, lists:zip(Links, Rest ++ [First])),
    First ! {hop, Hops},
    receive
        {finished, Id} ->
            lists:foreach(fun(Link) -> Link ! stop end, Links),
            Id
    end.

link_of(Id, Main) -> receive {next, Next} -> link_of(Id, Next, Main) end.

link_of(Id, Next, Main) ->
    receive
        {hop, 0} -> Main ! {finished, Id}, link_of(Id, Next, Main);
        {hop, Left} -> Next ! {hop, Left - 1}, link_of(Id, Next, Main);
        stop -> ok
    end.

%% ForkJoin

fork_join(Count) ->
    Main = self(),
    spawn_link(fun() -> master(Count, Main) end),
    receive {finished, Finished} -> Finished end.

master(Count, Main) ->
    lists:foreach(fun(_) -> spawn_link(fun worker/0) ! {work, self()} end, lists:seq(1, Count)),
    join_workers(0, Count),
    Main ! {finished, Count}.

join_workers(Count, Count) -> ok;
join_workers(Finished, Count) -> receive {finished, _} -> join_workers(Finished + 1, Count) end.

worker() -> receive {work, Master} -> Master ! {finished, math:pow(math:sin(37.2), 2)} end.

%% Big

big(Actors, Count) ->
    Main = self(),
    Sink = spawn_link(fun() -> sink(Actors, 0, Main) end),
    Peers = [spawn_link(fun() -> peer(Seed, Count, Sink) end) || Seed <- lists:seq(0, Actors - 1)],
    All = list_to_tuple(Peers),
    lists:foreach(fun(Peer) -> Peer ! {start, All} end, Peers),
    receive
        {finished, Sum} ->
            lists:foreach(fun(Peer) -> Peer ! stop end, Peers),
            Sum
    end.

sink(0, Sum, Main) -> Main ! {finished, Sum};
sink(Left, Sum, Main) -> receive {finished, Seed} -> sink(Left - 1, Sum + Seed, Main) end.

%% A process that is pinged before its start answers nevertheless: it receives messages by kind.
peer(Seed, Count, Sink) -> receive {start, Peers} -> peer(Peers, ping_next(Peers, Seed), Count, Sink) end.

peer(Peers, Seed, Left, Sink) ->
    receive
        {ping, From} ->
            From ! pong,
            peer(Peers, Seed, Left, Sink);
        pong when Left > 1 -> peer(Peers, ping_next(Peers, Seed), Left - 1, Sink);
        pong ->
            Sink ! {finished, Seed},
            peer(Peers, Seed, 0, Sink);
        stop -> ok
    end.

ping_next(Peers, Seed) ->
    Next = (Seed * 1309 + 13849) band 65535,
    element(1 + Next rem tuple_size(Peers), Peers) ! {ping, self()},
    Next.
