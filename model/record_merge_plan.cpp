#include "model/record_merge_plan.hpp"

namespace keyswap::model {

void record_merge_plan(MergePlan const& plan, TraceSink& sink) {
    for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
        IndexRange const chunk = plan.chunks.of(GpuId{gpu});
        sink.write(OwnershipRecord{GpuId{gpu}, chunk.begin, chunk.size()});
    }
    for (std::uint32_t gpu = 0; gpu < plan.config.gpu_count; ++gpu) {
        IndexRange const chunk = plan.chunks.of(GpuId{gpu});
        if (chunk.size() > 0) {
            sink.write(
                SortRangeRecord{GpuId{gpu}, 0, chunk.size(), 0, key_bits(plan.config.key_type)});
        }
    }
    for (MergeStage const& stage : plan.stages) {
        for (PairSwap const& swap : stage.swaps) {
            sink.write(CopyRecord{
                swap.lower, swap.lower_offset, swap.higher, swap.higher_offset, swap.count});
            sink.write(CopyRecord{
                swap.higher, swap.higher_offset, swap.lower, swap.lower_offset, swap.count});
        }
    }
}

} // namespace keyswap::model
