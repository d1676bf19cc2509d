#include "model/sorts/rmg/record_plan.hpp"

#include "model/sorts/rmg/key_swap.hpp"
#include "model/sorts/rmg/part_offsets.hpp"

#include <numeric>
#include <optional>
#include <string>

namespace keyswap::model {

namespace {

/// \param function id of the function whose buckets it counts; nullopt for a digit
void record_histogram(BucketHistogram const& histogram,
                      std::vector<std::uint64_t> const& offsets,
                      std::optional<std::uint32_t> function,
                      TraceSink& sink) {
    for (std::uint32_t gpu = 0; gpu < histogram.gpu_count(); ++gpu) {
        auto const counts = histogram.of(GpuId{gpu});
        sink.write(HistogramRecord{histogram.bucket(),
                                   GpuId{gpu},
                                   offsets[gpu],
                                   {counts.begin(), counts.end()},
                                   std::nullopt,
                                   function});
    }
}

} // namespace

RunHeader header_of(SortConfig const& config, std::string_view algorithm) {
    RunHeader header;
    header.algorithm = algorithm;
    header.variant = "reference";
    header.key_count = config.key_count;
    header.gpus.resize(config.gpu_count);
    std::iota(header.gpus.begin(), header.gpus.end(), 0);
    header.virtual_gpus = true;
    static_cast<SortShape&>(header) = static_cast<SortShape const&>(config);
    static_cast<SortParameters&>(header) = static_cast<SortParameters const&>(config);
    return header;
}

void record_plan(Plan const& plan, TraceSink& sink) {
    auto const offsets = part_offsets(plan);
    std::uint32_t next_function = 0;
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
        PassPlan const& pass = plan.passes[i];
        for (std::size_t histogram = 0; histogram < pass.histograms.size(); ++histogram) {
            std::optional<std::uint32_t> function;
            if (!pass.functions.empty()) {
                function = next_function++;
                sink.write(BucketFunctionRecord{
                    *function, pass.histograms[histogram].bucket(), pass.functions[histogram]});
            }
            record_histogram(pass.histograms[histogram], offsets[i][histogram], function, sink);
        }
        for (PlannedBucket const& bucket : pass.buckets) {
            sink.write(bucket.placement);
        }
    }
    for (OwnershipRecord const& ownership : plan.ownership) {
        sink.write(ownership);
    }
    for (CopyRecord const& copy : merged_copies(plan)) {
        sink.write(copy);
    }
    for (SortGroup const& group : plan.sort_groups) {
        sink.write(SortRangeRecord{group.gpu, group.offset, group.count, 0, group.end_bit});
    }
}

} // namespace keyswap::model
