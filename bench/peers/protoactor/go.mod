module turntable/bench/peers/protoactor

go 1.22

require github.com/asynkron/protoactor-go v0.0.0-20240822202345-3c0e61ca19c9
