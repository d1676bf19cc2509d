#include "model/replay/carry_out.hpp"

#include "model/buckets/chunks.hpp"
#include "model/replay/chunk_order.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace keyswap::model {

namespace {

using Problem = std::optional<std::string>;
/// nullopt: nothing was written to the slot.
template <class Word>
using Slots = std::vector<std::optional<Word>>;

/// Mask of bits [begin, end).
template <class Word>
Word bit_window(int begin, int end) {
    auto const below = [](int bit) { return bit == 0 ? 0 : largest_image_of_bits(bit); };
    return end <= begin ? Word{0} : static_cast<Word>(below(end) & ~below(begin));
}

bool is_within(std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
    return offset <= size && count <= size - offset;
}

/// The range of a vector that a record refers to; nullopt if it is out of bounds.
template <class Word>
std::optional<std::span<std::optional<Word>>>
range_of(Slots<Word>& slots, std::uint64_t offset, std::uint64_t count) {
    if (!is_within(offset, count, slots.size())) {
        return std::nullopt;
    }
    return std::span(slots).subspan(offset, count);
}

/// Requirement on the output.
enum class Wanted {
    sorted_keys,
    all_keys ///< in any order: positions stand for unavailable keys
};

/// Executes records: one memory for each GPU, and the output on the host.
template <class Word>
class Machine {
  public:
    Machine(RecordedMoves const& moves, std::vector<Word> keys, Wanted wanted)
        : moves_(moves), keys_(std::move(keys)), wanted_(wanted),
          chunks_(keys_.size(), moves.gpu_count) {}

    Problem run() {
        Problem problem = moves_.sorted_first ? merge_sorted_chunks() : exchange_buckets();
        if (!problem) {
            problem = copy_back();
        }
        if (!problem) {
            problem = merge_on_host();
        }
        if (problem) {
            return problem;
        }
        std::ranges::sort(keys_);
        if (wanted_ == Wanted::all_keys) {
            std::ranges::sort(output_);
        }
        bool const sorted =
            std::ranges::equal(output_, keys_, {}, {}, [](Word key) { return std::optional(key); });
        return sorted                           ? Problem()
               : wanted_ == Wanted::sorted_keys ? Problem("the output is not the sorted input")
                                                : Problem("the output lacks keys of the input");
    }

  private:
    std::span<Word const> chunk(GpuId gpu) const {
        IndexRange const range = chunks_.of(gpu);
        return std::span(keys_).subspan(range.begin, range.size());
    }

    Problem exchange_buckets() {
        std::vector<Slots<Word>> sources;
        for (GpuId gpu{0}; gpu.value < moves_.gpu_count; ++gpu.value) {
            std::vector<Word> const ordered = ordered_chunk<Word>(moves_, gpu, chunk(gpu));
            // With layout by_round a chunk may start at any offset: use the lowest one.
            sources.emplace_back(ordered.begin(), ordered.end());
            bases_.push_back(moves_.layout == SwapLayout::by_round ? first_offset(gpu) : 0);
        }
        memory_.resize(moves_.gpu_count);
        for (OwnershipRecord const& owner : moves_.ownership) {
            if (owner.gpu.value >= memory_.size() || owner.count > keys_.size()) {
                return "a range of a GPU that does not exist, or of too many keys";
            }
            memory_[owner.gpu.value].resize(owner.count);
        }
        if (auto problem = copy(moves_.copies, sources)) {
            return problem;
        }
        for (GpuId gpu{0}; gpu.value < moves_.gpu_count; ++gpu.value) {
            gather_buckets<Word>(moves_, gpu, memory_[gpu.value]);
        }
        return sort_ranges();
    }

    std::uint64_t first_offset(GpuId gpu) const {
        std::uint64_t first = ~std::uint64_t{0};
        for (CopyRecord const& copy : moves_.copies) {
            first =
                copy.source == gpu && copy.count > 0 ? std::min(first, copy.source_offset) : first;
        }
        return first;
    }

    /// Executes concurrent copies: all of them read `sources`.
    Problem copy(std::span<CopyRecord const> copies, std::vector<Slots<Word>> const& sources) {
        for (CopyRecord const& copy : copies) {
            if (copy.count == 0) {
                continue;
            }
            if (copy.source.value >= sources.size() || copy.destination.value >= memory_.size()) {
                return "a copy of a GPU that does not exist";
            }
            Slots<Word> const& from = sources[copy.source.value];
            std::uint64_t const begin = bases_.empty() ? 0 : bases_[copy.source.value];
            auto const to =
                range_of(memory_[copy.destination.value], copy.destination_offset, copy.count);
            if (!to || copy.source_offset < begin ||
                !is_within(copy.source_offset - begin, copy.count, from.size())) {
                return "a copy out of bounds";
            }
            std::ranges::copy(std::span(from).subspan(copy.source_offset - begin, copy.count),
                              to->begin());
        }
        return std::nullopt;
    }

    Problem sort_ranges() {
        for (SortRangeRecord const& range : moves_.sort_ranges) {
            if (range.gpu.value >= memory_.size() || range.begin_bit < 0 ||
                range.end_bit < range.begin_bit || range.end_bit > moves_.space.key_bits()) {
                return "a sort on bits that the keys do not have";
            }
            auto const keys = range_of(memory_[range.gpu.value], range.offset, range.count);
            if (!keys) {
                return "a sort out of bounds";
            }
            Word const window = bit_window<Word>(range.begin_bit, range.end_bit);
            std::ranges::stable_sort(*keys, {}, [window](std::optional<Word> const& key) {
                return key.value_or(0) & window;
            });
        }
        return std::nullopt;
    }

    Problem merge_sorted_chunks() {
        std::set<int> stages;
        for (CopyRecord const& copy : moves_.copies) {
            stages.insert(copy.stage);
        }
        for (MergeRecord const& merge : moves_.merges) {
            stages.insert(merge.stage);
        }
        for (GpuId gpu{0}; gpu.value < moves_.gpu_count; ++gpu.value) {
            auto const keys = chunk(gpu);
            memory_.emplace_back(keys.begin(), keys.end());
        }
        if (auto problem = sort_ranges()) {
            return problem;
        }
        for (int const stage : stages) {
            if (auto problem = run_stage(stage)) {
                return problem;
            }
        }
        return std::nullopt;
    }

    Problem run_stage(int stage) {
        std::vector<CopyRecord> copies;
        std::ranges::copy_if(moves_.copies, std::back_inserter(copies), [stage](auto const& copy) {
            return copy.stage == stage;
        });
        auto const before = copies.empty() ? std::vector<Slots<Word>>() : memory_;
        if (auto problem = copy(copies, before)) {
            return problem;
        }
        for (MergeRecord const& merge : moves_.merges) {
            if (merge.stage != stage || !merge.gpu) {
                continue;
            }
            if (merge.gpu->value >= memory_.size()) {
                return "a merge on a GPU that does not exist";
            }
            if (auto problem = merge_runs(merge, memory_[merge.gpu->value])) {
                return problem;
            }
        }
        return std::nullopt;
    }

    Problem merge_runs(MergeRecord const& merge, Slots<Word>& slots) {
        std::uint64_t end = merge.offset;
        for (std::uint64_t const run : merge.runs) {
            auto const keys = range_of(slots, end, run);
            if (!keys) {
                return "a merge out of bounds";
            }
            if (wanted_ == Wanted::sorted_keys && !std::ranges::is_sorted(*keys)) {
                return "a merge of a run that is not in order";
            }
            end += run;
        }
        std::ranges::stable_sort(std::span(slots).subspan(merge.offset, end - merge.offset));
        return std::nullopt;
    }

    Problem copy_back() {
        output_.resize(keys_.size());
        for (OwnershipRecord const& owner : moves_.ownership) {
            if (owner.count == 0) {
                continue;
            }
            auto const to = range_of(output_, owner.base, owner.count);
            if (!to || owner.gpu.value >= memory_.size() ||
                owner.count > memory_[owner.gpu.value].size()) {
                return "a copy back out of bounds";
            }
            std::ranges::copy(std::span(memory_[owner.gpu.value]).first(owner.count), to->begin());
        }
        return std::nullopt;
    }

    Problem merge_on_host() {
        std::vector<MergeRecord> merges;
        std::ranges::copy_if(moves_.merges,
                             std::back_inserter(merges),
                             [](MergeRecord const& merge) { return !merge.gpu; });
        std::ranges::stable_sort(merges, {}, &MergeRecord::stage);
        for (MergeRecord const& merge : merges) {
            if (auto problem = merge_runs(merge, output_)) {
                return problem;
            }
        }
        return std::nullopt;
    }

    RecordedMoves const& moves_;
    std::vector<Word> keys_;
    Wanted wanted_;
    Chunks chunks_;
    std::vector<std::uint64_t> bases_; ///< [g] offset of the first key of a source's chunk
    std::vector<Slots<Word>> memory_;  ///< [g]
    Slots<Word> output_;
};

} // namespace

template <class Word>
std::optional<std::string> carry_out(RecordedMoves const& moves, std::vector<Word> keys) {
    if (moves.gpu_count == 0) {
        return "a run without GPUs";
    }
    return Machine<Word>(moves, std::move(keys), Wanted::sorted_keys).run();
}

std::optional<std::string> carry_out_positions(RecordedMoves const& moves,
                                               std::uint64_t key_count) {
    KEYSWAP_EXPECTS(moves.gpu_count > 0);
    std::vector<std::uint64_t> positions(key_count);
    std::iota(positions.begin(), positions.end(), std::uint64_t{0});
    return Machine<std::uint64_t>(moves, std::move(positions), Wanted::all_keys).run();
}

template std::optional<std::string> carry_out(RecordedMoves const&, std::vector<std::uint64_t>);
template std::optional<std::string> carry_out(RecordedMoves const&, std::vector<uint128>);

} // namespace keyswap::model
