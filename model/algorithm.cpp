#include "model/algorithm.hpp"

#include "model/het_merge.hpp"
#include "model/p2p_merge.hpp"
#include "model/planner.hpp"
#include "model/record_merge_plan.hpp"
#include "model/record_plan.hpp"
#include "model/replay.hpp"
#include "model/replay_merge.hpp"

#include <array>
#include <string>

namespace keyswap::model {

namespace {

Expected<SortPlan> plan_rmg(SortConfig const& config, KeySource& source) {
    return SortPlan(plan_rmg_sort(config, source));
}

template <Expected<MergePlan> (*plan)(SortConfig const&, KeySource&)>
Expected<SortPlan> plan_merge(SortConfig const& config, KeySource& source) {
    return plan(config, source).map([](MergePlan merge) { return SortPlan(std::move(merge)); });
}

std::optional<Violation>
replay_rmg(SortPlan const& plan, AnyReplayMemory const& memory, TraceSink* sink) {
    return std::visit(
        [&](auto const& typed) {
            return replay_rmg_sort(std::get<Plan>(plan), typed.arrays, typed.scratch, sink);
        },
        memory);
}

std::optional<Violation>
replay_merge(SortPlan const& plan, AnyReplayMemory const& memory, TraceSink* /*sink*/) {
    return std::visit(
        [&](auto const& typed) {
            return replay_merge_sort(std::get<MergePlan>(plan), typed.arrays, typed.scratch);
        },
        memory);
}

void record_rmg(SortPlan const& plan, TraceSink& sink) {
    record_plan(std::get<Plan>(plan), sink);
}

void record_merge(SortPlan const& plan, TraceSink& sink) {
    record_merge_plan(std::get<MergePlan>(plan), sink);
}

constexpr std::array known_algorithms{
    Algorithm{"rmg",
              "RMG sort: radix partitioning, one all-to-all key swap, bucket sort",
              "Ilic, Tolovski, Rabl, BTW 2023",
              plan_rmg,
              replay_rmg,
              record_rmg},
    Algorithm{"p2p-merge",
              "P2P merge sort: sorted chunks, merged by pairwise swaps around pivots",
              "Tanasic et al., GPGPU-6 2013",
              plan_merge<plan_p2p_merge_sort>,
              replay_merge,
              record_merge},
    Algorithm{"het-merge",
              "HET merge sort: sorted chunks, merged by the CPU",
              "Gowanlock and Karsin, IPDPSW 2018",
              plan_merge<plan_het_merge_sort>,
              replay_merge,
              record_merge}};

} // namespace

std::span<Algorithm const> algorithms() {
    return known_algorithms;
}

Expected<Algorithm const*> find_algorithm(std::string_view name) {
    std::string known;
    for (Algorithm const& algorithm : algorithms()) {
        if (algorithm.name == name) {
            return &algorithm;
        }
        known += known.empty() ? "" : ", ";
        known += algorithm.name;
    }
    return tl::unexpected(
        InputError{"algorithm", "'" + std::string(name) + "' is not known", "known: " + known});
}

} // namespace keyswap::model
