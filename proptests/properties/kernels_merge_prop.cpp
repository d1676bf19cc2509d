/// \file P2P merge sort as planned by the kernels' host part, executed in memory and compared with
/// the model: stages, exchanges and output. Needs no GPU.

#include "kernels/sort.hpp"
#include "kernels/sorts/merge/merge_stages.hpp"
#include "model/buckets/chunks.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "proptests/live/live_case.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::proptests {
namespace {

struct Pair {
    std::uint64_t image = 0;
    std::uint64_t value = 0;
};

/// Minimum number of keys to exchange so that no key on the left exceeds one on the right.
std::uint64_t keys_to_exchange(std::span<Pair const> left, std::span<Pair const> right) {
    std::uint64_t count = 0;
    while (count < std::min(left.size(), right.size()) &&
           left[left.size() - count - 1].image > right[count].image) {
        ++count;
    }
    return count;
}

/// Memory of all GPUs as one array of consecutive chunks.
class SimulatedGpus {
  public:
    explicit SimulatedGpus(LiveCase const& live_case)
        : chunks_(live_case.images.size(), live_case.config.gpu_count) {
        for (std::uint64_t i = 0; i < live_case.images.size(); ++i) {
            pairs_.push_back({live_case.images[i], i});
        }
        for (std::uint32_t gpu = 0; gpu < chunks_.gpu_count(); ++gpu) {
            counts_.push_back(chunks_.of(GpuId{gpu}).size());
            sort_chunk(GpuId{gpu});
        }
    }

    void merge(int stage, kernels::GroupMerge const& merge, model::verify::RecordedRun& run) {
        auto const group = [this](std::uint32_t first, std::uint32_t last) {
            std::uint64_t const begin = chunks_.of(GpuId{first}).begin;
            return std::span(pairs_).subspan(begin, chunks_.of(GpuId{last - 1}).end - begin);
        };
        std::uint64_t const count =
            keys_to_exchange(group(merge.first, merge.middle), group(merge.middle, merge.last));
        for (kernels::ChunkSwap const& swap : kernels::chunk_swaps(merge, counts_, count)) {
            GpuId const left{swap.left};
            GpuId const right{swap.right};
            std::ranges::swap_ranges(
                std::span(pairs_).subspan(chunks_.of(left).begin + swap.left_offset, swap.count),
                std::span(pairs_).subspan(chunks_.of(right).begin + swap.right_offset, swap.count));
            run.copies.push_back(
                {left, swap.left_offset, right, swap.right_offset, swap.count, stage});
            run.copies.push_back(
                {right, swap.right_offset, left, swap.left_offset, swap.count, stage});
        }
        record_merges(stage, merge, run);
        for (std::uint32_t gpu = merge.first; gpu < merge.last; ++gpu) {
            sort_chunk(GpuId{gpu});
        }
    }

    /// A chunk with received and own keys consists of two runs.
    void
    record_merges(int stage, kernels::GroupMerge const& merge, model::verify::RecordedRun& run) {
        for (std::uint32_t gpu = merge.first; gpu < merge.last; ++gpu) {
            std::uint64_t begin = counts_[gpu];
            std::uint64_t end = 0;
            for (CopyRecord const& copy : run.copies) {
                if (copy.stage == stage && copy.destination.value == gpu) {
                    begin = std::min(begin, copy.destination_offset);
                    end = std::max(end, copy.destination_offset + copy.count);
                }
            }
            std::uint64_t const border = begin == 0 ? end : begin;
            if (end > 0 && border < counts_[gpu]) {
                run.merges.push_back({stage, GpuId{gpu}, 0, {border, counts_[gpu] - border}});
            }
        }
    }

    void record_chunks(model::verify::RecordedRun& run, int bits) const {
        for (std::uint32_t gpu = 0; gpu < chunks_.gpu_count(); ++gpu) {
            model::IndexRange const chunk = chunks_.of(GpuId{gpu});
            run.ownership.push_back({GpuId{gpu}, chunk.begin, chunk.size()});
            if (chunk.size() > 0) {
                run.sort_ranges.push_back({GpuId{gpu}, 0, chunk.size(), 0, bits});
            }
        }
    }

    [[nodiscard]] std::span<Pair const> pairs() const { return pairs_; }

  private:
    void sort_chunk(GpuId gpu) {
        model::IndexRange const chunk = chunks_.of(gpu);
        std::ranges::stable_sort(
            std::span(pairs_).subspan(chunk.begin, chunk.size()), {}, &Pair::image);
    }

    model::Chunks chunks_;
    std::vector<std::uint64_t> counts_;
    std::vector<Pair> pairs_;
};

LiveOutcome sort_by_kernels_plan(LiveCase const& live_case) {
    LiveOutcome outcome;
    outcome.run.name = "p2p-merge";
    outcome.run.header = model::header_of(live_case.config, live_case.algorithm);
    outcome.run.header.version = 2;
    SimulatedGpus gpus(live_case);
    gpus.record_chunks(outcome.run, key_bits(live_case.config.key_type));
    int number = 0;
    for (auto const& stage : kernels::merge_stages(live_case.config.gpu_count)) {
        for (kernels::GroupMerge const& merge : stage) {
            gpus.merge(number, merge, outcome.run);
        }
        ++number;
    }
    for (Pair const& pair : gpus.pairs()) {
        outcome.output_images.push_back(pair.image);
        if (live_case.config.value_type != ValueType::none) {
            outcome.output_values.push_back(pair.value);
        }
    }
    return outcome;
}

TEST(KernelsP2pMerge, AgreesWithTheModelForAnyKeysAndGpus) {
    EXPECT_TRUE(rc::check("P2P merge sort", [] {
        auto const is_p2p_merge = [](AlgorithmInfo const& row, KeyType type) {
            return row.name == "p2p-merge" && key_bits(type) <= 64;
        };
        LiveCase const live_case = *any_live_case({400, 16, 1, is_p2p_merge});
        auto const problem = check_outcome(live_case, sort_by_kernels_plan(live_case));
        if (problem) {
            RC_FAIL(*problem);
        }
    }));
}

} // namespace
} // namespace keyswap::proptests
