#include "model/replay/chunk_order.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace keyswap::model {

namespace {

/// Keys that a GPU receives in each round.
std::map<int, std::uint64_t> round_sizes(RecordedMoves const& moves, GpuId gpu) {
    std::map<int, std::uint64_t> keys;
    for (CopyRecord const& copy : moves.copies) {
        if (copy.destination == gpu) {
            keys[copy.stage] += copy.count;
        }
    }
    return keys;
}

} // namespace

OwnPartPosition place_of_own_part(std::span<CopyRecord const> copies, GpuId source, int round) {
    auto const own = std::ranges::find_if(copies, [source, round](CopyRecord const& copy) {
        return copy.source == source && copy.destination == source && copy.stage == round &&
               copy.count > 0;
    });
    if (own == copies.end()) {
        return {round, 0};
    }
    OwnPartPosition place{std::nullopt, own->source_offset};
    for (CopyRecord const& copy : copies) {
        bool const is_before = copy.source == source && copy.destination != source &&
                               copy.count > 0 && copy.source_offset < own->source_offset;
        if (is_before) {
            place.round_before = std::max(place.round_before, std::optional<int>{copy.stage});
        }
    }
    return place;
}

/// Sort key for a bucket's position in a chunk: its round (for own parts, the preceding round),
/// turn, offset of an own part, lowest image.
template <class Word>
using Rank = std::tuple<std::optional<int>, std::uint32_t, std::uint64_t, Word>;

template <class Word>
class BucketRanks {
  public:
    BucketRanks(RecordedMoves const& moves, GpuId source) : moves_(moves) {
        for (PlacementRecord const& placement : moves.placements) {
            auto const images = moves.space.images_of(placement.bucket);
            if (placement.state == PlacementState::spanning || !images) {
                continue;
            }
            bool const by_round = moves.layout == SwapLayout::by_round;
            // The next GPU has turn 0; the source itself is last.
            std::uint32_t const turn =
                (placement.first.value + moves.gpu_count - 1 - source.value) % moves.gpu_count;
            auto const lowest = static_cast<Word>(images->lowest);
            int const round = by_round ? round_of(placement) : 0;
            OwnPartPosition const place = by_round && placement.first == source
                                              ? place_of_own_part(moves.copies, source, round)
                                              : OwnPartPosition{round, 0};
            of_pass_[placement.bucket.pass][lowest] = {
                *images, {place.round_before, by_round ? turn : 0, place.offset, lowest}};
        }
    }

    [[nodiscard]] Rank<Word> of(Word image) const {
        for (auto const& [pass, buckets] : of_pass_) {
            auto const after = buckets.upper_bound(image);
            if (after != buckets.begin() && std::prev(after)->second.images.contains(image)) {
                return std::prev(after)->second.rank;
            }
        }
        return {0, 0, 0, 0};
    }

  private:
    /// Rounds fill a GPU's owned range in order; a bucket belongs to the round that contains it.
    int round_of(PlacementRecord const& placement) const {
        std::uint64_t base = 0;
        for (OwnershipRecord const& owner : moves_.ownership) {
            base = owner.gpu == placement.first ? owner.base : base;
        }
        std::uint64_t end = base;
        for (auto const& [round, count] : round_sizes(moves_, placement.first)) {
            end += count;
            if (placement.begin < end) {
                return round;
            }
        }
        return 0;
    }

    struct Bucket {
        ImageInterval images;
        Rank<Word> rank;
    };

    RecordedMoves const& moves_;
    std::map<int, std::map<Word, Bucket>> of_pass_; ///< by lowest image
};

template <class Word>
std::vector<Word>
ordered_chunk(RecordedMoves const& moves, GpuId gpu, std::span<Word const> chunk) {
    BucketRanks<Word> const ranks(moves, gpu);
    std::vector<Word> ordered(chunk.begin(), chunk.end());
    std::ranges::stable_sort(ordered, {}, [&ranks](Word image) { return ranks.of(image); });
    return ordered;
}

template <class Word>
void gather_buckets(RecordedMoves const& moves, GpuId gpu, std::span<std::optional<Word>> arrived) {
    if (moves.layout != SwapLayout::by_round) {
        return;
    }
    BucketRanks<Word> const ranks(moves, gpu);
    for (auto const& [round, count] : round_sizes(moves, gpu)) {
        std::uint64_t const size = std::min<std::uint64_t>(count, arrived.size());
        std::ranges::stable_sort(
            arrived.first(size), {}, [&ranks](std::optional<Word> const& image) {
                return std::get<3>(ranks.of(image.value_or(0)));
            });
        arrived = arrived.subspan(size);
    }
}

template std::vector<std::uint64_t>
ordered_chunk(RecordedMoves const&, GpuId, std::span<std::uint64_t const>);
template std::vector<uint128> ordered_chunk(RecordedMoves const&, GpuId, std::span<uint128 const>);
template void gather_buckets(RecordedMoves const&, GpuId, std::span<std::optional<std::uint64_t>>);
template void gather_buckets(RecordedMoves const&, GpuId, std::span<std::optional<uint128>>);

} // namespace keyswap::model
