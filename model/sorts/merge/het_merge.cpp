#include "model/sorts/merge/het_merge.hpp"

namespace keyswap::model {

Expected<MergePlan> plan_het_merge_sort(SortConfig const& config, KeySource& /*source*/) {
    MergePlan plan;
    plan.config = config;
    plan.chunks = Chunks(config.key_count, config.gpu_count);
    for (std::uint32_t gpu = 0; gpu < config.gpu_count; ++gpu) {
        plan.cpu_merge_ways += plan.chunks.of(GpuId{gpu}).size() > 0 ? 1 : 0;
    }
    return plan;
}

} // namespace keyswap::model
