#include "model/sorts/merge/merge_model.hpp"

namespace keyswap::model {

namespace {

/// Chunks are sorted on the GPUs and copied back; the CPU merges them all in one multiway merge.
/// Nothing depends on the keys.
/// Source: Gowanlock and Karsin, Sorting Large Datasets with Heterogeneous CPU/GPU Architectures,
/// IPDPSW 2018.
Expected<MergePlan> plan_het_merge(SortConfig const& config, KeySource& /*source*/) {
    MergePlan plan;
    plan.config = config;
    plan.chunks = Chunks(config.key_count, config.gpu_count);
    for (std::uint32_t gpu = 0; gpu < config.gpu_count; ++gpu) {
        plan.cpu_merge_ways += plan.chunks.of(GpuId{gpu}).size() > 0 ? 1 : 0;
    }
    return plan;
}

} // namespace

Algorithm const& het_merge_model() {
    static constexpr Algorithm algorithm{
        "het-merge", Division::runs, plan_merge<plan_het_merge>, nullptr, false};
    return algorithm;
}

} // namespace keyswap::model
