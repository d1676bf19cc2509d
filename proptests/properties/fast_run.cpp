#include "proptests/properties/fast_run.hpp"

#include "model/distributions/counter_generator.hpp"
#include "model/sorts/rmg/key_swap.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "proptests/properties/reference_run.hpp"
#include "traces/errors/contracts.hpp"

#include <vector>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

RunHeader header_of_fast(std::uint64_t keys) {
    RunHeader header;
    header.version = 2;
    header.program = "keyswap";
    header.algorithm = "rmg";
    header.variant = "fast";
    header.operation = Operation::sort;
    header.virtual_gpus = true;
    header.key_count = keys;
    header.gpus = {0, 1, 2};
    header.value_type = ValueType::bits32;
    header.stability = Stability::stable;
    header.input.seed = 11;
    header.input.generator_version = model::generator_version;
    return header;
}

model::Plan plan_of(RecordedRun const& run) {
    auto const config = model::verify::config_of(run.header).value();
    auto const input = model::verify::find_input(run.header).value();
    return model::verify::plan_as_recorded(config, input.input->source(), run).value();
}

/// Variant `fast` after several passes: one copy per pair of GPUs, one range per GPU.
RecordedRun sorted_by_source() {
    RunHeader header = header_of_fast(200);
    header.digit_bits = 4;
    header.tolerance_ppm = 0;
    header.fuse_ppm = 0;
    header.input.distribution = "zipf";
    RecordedRun run = record_reference(header).value();
    model::Plan const plan = plan_of(run);
    run.header.layout = SwapLayout::by_source;
    run.copies = model::verify::copies_by_pair(plan);
    run.sort_ranges.clear();
    for (OwnershipRecord const& owner : run.ownership) {
        run.sort_ranges.push_back({owner.gpu, 0, owner.count, 0, plan.config.digit_bits * 8});
    }
    return run;
}

/// Variant `fast` after one pass: half of each GPU's buckets arrive in the first round.
RecordedRun sorted_in_rounds() {
    RunHeader header = header_of_fast(120);
    header.tolerance_ppm = 300'000;
    header.input.distribution = "uniform";
    RecordedRun run = record_reference(header).value();
    model::Plan const plan = plan_of(run);
    run.header.layout = SwapLayout::by_round;
    run.copies.clear();
    std::vector<std::uint64_t> sent(3);
    std::vector<std::uint64_t> arrived(3);
    for (int const round : {0, 1}) {
        for (std::uint32_t source = 0; source < 3; ++source) {
            for (std::uint32_t turn = 1; turn <= 3; ++turn) {
                std::uint32_t const destination = (source + turn) % 3;
                std::uint64_t keys = 0;
                for (model::PlannedBucket const& bucket : plan.buckets) {
                    OwnershipRecord const& owner = plan.ownership[destination];
                    bool const is_first = bucket.placement.begin < owner.base + owner.count / 2;
                    if (bucket.placement.first == owner.gpu && is_first == (round == 0)) {
                        keys += model::part_size(plan, bucket, GpuId{source});
                    }
                }
                if (keys > 0) {
                    run.copies.push_back({GpuId{source},
                                          sent[source],
                                          GpuId{destination},
                                          arrived[destination],
                                          keys,
                                          round});
                }
                sent[source] += keys;
                arrived[destination] += keys;
            }
        }
    }
    return run;
}

} // namespace

RecordedRun fast_run(SwapLayout layout) {
    KEYSWAP_EXPECTS(layout == SwapLayout::by_source || layout == SwapLayout::by_round);
    return layout == SwapLayout::by_source ? sorted_by_source() : sorted_in_rounds();
}

} // namespace keyswap::proptests
