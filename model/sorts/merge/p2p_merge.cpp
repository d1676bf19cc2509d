#include "model/sorts/merge/p2p_merge.hpp"

#include "model/sorts/merge/merge_model.hpp"
#include "model/sorts/merge/sorted_sequence.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace keyswap::model {

namespace {

/// [g] the contents of each GPU's chunk, as runs of sequences in memory order.
using GpuContents = std::vector<std::vector<SortedRun>>;

/// A range of GPUs [begin, end).
struct GpuRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    [[nodiscard]] std::uint32_t middle() const { return begin + (end - begin) / 2; }
};

class P2pMergePlanner {
  public:
    P2pMergePlanner(Chunks const& chunks, DigitLayout const& layout, KeySource& source)
        : chunks_(chunks), ranks_(chunks, layout, source) {
        for (std::uint32_t gpu = 0; gpu < chunks.gpu_count(); ++gpu) {
            auto sequence = std::make_shared<SortedSequence>();
            sequence->chunk = GpuId{gpu};
            contents_.push_back({{sequence, {0, chunks.of(GpuId{gpu}).size()}}});
        }
    }

    /// Merges the contents of a range of GPUs into one sorted sequence across them. The two halves
    /// merge concurrently, so their stages are joined.
    [[nodiscard]] std::vector<MergeStage> merge(GpuRange gpus) {
        if (gpus.end - gpus.begin < 2) {
            return {};
        }
        GpuRange const lower{gpus.begin, gpus.middle()};
        GpuRange const higher{gpus.middle(), gpus.end};
        std::vector<MergeStage> stages = merge_side_by_side(lower, higher);
        stages.push_back(exchange(lower, higher));
        std::vector<MergeStage> const again = merge_side_by_side(lower, higher);
        stages.insert(stages.end(), again.begin(), again.end());
        return stages;
    }

  private:
    std::vector<MergeStage> merge_side_by_side(GpuRange lower, GpuRange higher) {
        std::vector<MergeStage> stages = merge(lower);
        std::vector<MergeStage> const others = merge(higher);
        KEYSWAP_ENSURES(stages.size() == others.size());
        for (std::size_t i = 0; i < stages.size(); ++i) {
            auto& [swaps, merges] = stages[i];
            swaps.insert(swaps.end(), others[i].swaps.begin(), others[i].swaps.end());
            merges.insert(merges.end(), others[i].merges.begin(), others[i].merges.end());
        }
        return stages;
    }

    /// All runs of a range of GPUs, as one merged sequence.
    std::shared_ptr<SortedSequence> sequence_of(GpuRange gpus) const {
        auto sequence = std::make_shared<SortedSequence>();
        for (std::uint32_t gpu = gpus.begin; gpu < gpus.end; ++gpu) {
            auto const& runs = contents_[gpu];
            sequence->runs.insert(sequence->runs.end(), runs.begin(), runs.end());
        }
        return sequence;
    }

    IndexRange keys_of(GpuRange gpus) const {
        return {chunks_.of(GpuId{gpus.begin}).begin, chunks_.of(GpuId{gpus.end - 1}).end};
    }

    /// One exchange between two halves, each sorted across its GPUs: swaps the last p keys of the
    /// lower half with the first p keys of the higher half, for the smallest p such that afterwards
    /// no key of the lower half exceeds any key of the higher half.
    MergeStage exchange(GpuRange lower, GpuRange higher) {
        auto const low = sequence_of(lower);
        auto const high = sequence_of(higher);
        std::uint64_t const low_size = keys_of(lower).size();
        std::uint64_t const stay = smallest_from_first(*low, *high, low_size, ranks_);
        std::uint64_t const swapped = low_size - stay;

        set_contents(lower, low, {stay, low_size}, high, 0);
        set_contents(higher, high, {0, swapped}, low, stay);
        MergeStage stage;
        stage.swaps = pair_swaps(keys_of(lower).begin + stay, keys_of(higher).begin, swapped);
        for (GpuRange const half : {lower, higher}) {
            for (std::uint32_t gpu = half.begin; gpu < half.end; ++gpu) {
                if (contents_[gpu].size() == 2) {
                    stage.merges.push_back({GpuId{gpu},
                                            contents_[gpu][0].range.size(),
                                            contents_[gpu][1].range.size()});
                }
            }
        }
        return stage;
    }

    /// Updates a half after the exchange: `replaced` positions of its sequence now hold the keys of
    /// `other` from rank `other_begin` on. Every GPU then has at most two runs.
    void set_contents(GpuRange half,
                      std::shared_ptr<SortedSequence> const& own,
                      IndexRange replaced,
                      std::shared_ptr<SortedSequence> const& other,
                      std::uint64_t other_begin) {
        std::uint64_t const half_begin = keys_of(half).begin;
        for (std::uint32_t gpu = half.begin; gpu < half.end; ++gpu) {
            IndexRange const chunk = chunks_.of(GpuId{gpu});
            IndexRange const mine{chunk.begin - half_begin, chunk.end - half_begin};
            IndexRange const foreign{std::clamp(replaced.begin, mine.begin, mine.end),
                                     std::clamp(replaced.end, mine.begin, mine.end)};
            std::vector<SortedRun> runs;
            auto const add = [&](std::shared_ptr<SortedSequence> const& sequence,
                                 IndexRange range) {
                if (range.size() > 0) {
                    runs.push_back({sequence, range});
                }
            };
            add(own, {mine.begin, foreign.begin});
            add(other,
                {foreign.begin - replaced.begin + other_begin,
                 foreign.end - replaced.begin + other_begin});
            add(own, {foreign.end, mine.end});
            contents_[gpu] = std::move(runs);
        }
    }

    /// Swaps `count` keys from global position `low` on with those from `high` on, in pieces within
    /// one GPU at both ends.
    std::vector<PairSwap> pair_swaps(std::uint64_t low, std::uint64_t high, std::uint64_t count) {
        std::vector<PairSwap> swaps;
        while (count > 0) {
            GpuId const lower = chunks_.owner_of(low);
            GpuId const higher = chunks_.owner_of(high);
            std::uint64_t const piece =
                std::min({count, chunks_.of(lower).end - low, chunks_.of(higher).end - high});
            swaps.push_back({lower,
                             low - chunks_.of(lower).begin,
                             higher,
                             high - chunks_.of(higher).begin,
                             piece});
            low += piece;
            high += piece;
            count -= piece;
        }
        return swaps;
    }

    Chunks chunks_;
    ChunkRanks ranks_;
    GpuContents contents_;
};

} // namespace

Expected<MergePlan> plan_p2p_merge_sort(SortConfig const& config, KeySource& source) {
    if (!std::has_single_bit(config.gpu_count)) {
        return tl::unexpected(
            InputError{"p2p-merge",
                       std::to_string(config.gpu_count) + " GPUs are not a power of two",
                       "give 1, 2, 4, 8 ... GPUs, or use rmg"});
    }
    MergePlan plan;
    plan.config = config;
    plan.chunks = Chunks(config.key_count, config.gpu_count);
    DigitLayout const layout(key_bits(config.key_type), config.digit_bits);
    P2pMergePlanner planner(plan.chunks, layout, source);
    plan.stages = planner.merge({0, config.gpu_count});
    return plan;
}

Algorithm const& p2p_merge_model() {
    static constexpr Algorithm algorithm{
        "p2p-merge", Division::runs, plan_merge<plan_p2p_merge_sort>};
    return algorithm;
}

} // namespace keyswap::model
