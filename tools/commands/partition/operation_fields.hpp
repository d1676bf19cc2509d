#pragma once

/// \file Fields of multisplits, shuffles and shortest-paths searches, for --json.

#include "model/partition/partition_positions.hpp"
#include "tools/backends/multisplit_run.hpp"
#include "tools/backends/shuffle_run.hpp"
#include "tools/text/run_fields.hpp"

namespace keyswap::tools {

void result_fields(RelaxationRecord const& round, auto& field) {
    field("round", round.round);
    field("pending", round.pending);
    field("frontier", round.frontier);
    field("improved", round.improved);
    field("lower", round.lower);
    field("split", round.split);
    field("counts", round.counts);
}

void result_fields(OwnershipRecord const& owner, auto& field) {
    field("base", owner.base);
    field("keys", owner.count);
}

void result_fields(PlacementRecord const& placed, auto& field) {
    field("bucket", placed.bucket.prefix);
    field("gpu", placed.first);
    field("begin", placed.begin);
    field("end", placed.end);
}

void result_fields(MethodRun const& run, auto& field) {
    field("name", run.partition.method);
    field("stability", run.partition.stability);
    field("output", run.output);
    field("holds", run.wrong.empty());
    if (run.partition.table) {
        field("tile_keys", run.partition.tile_keys);
        field("table", *run.partition.table);
    }
}

void result_fields(MultisplitRun const& run, auto& field) {
    field("counts", run.counts);
    field("starts", model::exclusive_sums(run.counts));
    field("stable_output", run.expected);
    field("methods", run.methods);
    field("holds", run.holds());
}

} // namespace keyswap::tools
