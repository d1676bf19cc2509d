#pragma once

/// \file JSON fields of plan summaries.

#include "tools/text/document.hpp"
#include "tools/text/plan_summary.hpp"
#include "tools/text/step_summary.hpp"

namespace keyswap::tools {

void result_fields(PassSummary const& pass, auto& field) {
    field("pass", pass.pass);
    if (pass.children_most > 0) {
        field("children_most", pass.children_most);
    } else {
        field("begin_bit", pass.begin_bit);
        field("end_bit", pass.end_bit);
    }
    field("refined", pass.refined);
    field("buckets", pass.buckets);
    field("placed", pass.placed);
    field("spanning", pass.spanning);
    field("cut", pass.cut);
}

void result_fields(GpuSummary const& gpu, auto& field) {
    field("gpu", gpu.gpu);
    field("base", gpu.base);
    field("keys", gpu.keys);
    field("received", gpu.received);
    field("sort_groups", gpu.sort_groups);
    field("end_bit_min", gpu.end_bit_min);
    field("end_bit_max", gpu.end_bit_max);
}

void result_fields(CopyRecord const& copy, auto& field) {
    field("source", copy.source);
    field("source_offset", copy.source_offset);
    field("destination", copy.destination);
    field("destination_offset", copy.destination_offset);
    field("count", copy.count);
}

void result_fields(MergeRecord const& merge, auto& field) {
    field("gpu", merge.gpu);
    field("offset", merge.offset);
    field("runs", merge.runs);
}

void result_fields(StageSummary const& stage, auto& field) {
    field("copies", stage.copies);
    field("merges", stage.merges);
}

} // namespace keyswap::tools
