#include "model/distributions/closed_form_source.hpp"

#include "model/buckets/row_pool.hpp"
#include "model/distributions/interval_edges.hpp"
#include "model/keys/parallel_counting.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace keyswap::model {

namespace {

bool determined_by_position(KeyRecipe const& recipe) {
    bool const one_value =
        recipe.table.cells().size() == 1 &&
        recipe.table.cells().front().image_first == recipe.table.cells().front().image_last;
    return std::ranges::all_of(recipe.segments, [&](Segment const& segment) {
        return one_value || segment.draw == Draw::constant || segment.draw == Draw::ascending ||
               segment.draw == Draw::descending;
    });
}

/// round(count x fraction / 2^64), halves up. \pre fraction <= 2^64, count <= 2^63
std::uint64_t rounded_share(std::uint64_t count, uint128 fraction) {
    return static_cast<std::uint64_t>((fraction * count + (uint128{1} << 63)) >> 64);
}

/// The part of a segment inside one chunk.
struct Piece {
    Segment const& segment;
    IndexRange range;
};

/// Ranks, in sorted order, of the keys at the positions `range` of a descending segment.
IndexRange mirrored(IndexRange range, std::uint64_t key_count) {
    return {key_count - range.end, key_count - range.begin};
}

/// Number of ranks in `ranks` below `end`.
std::uint64_t ranks_below(IndexRange ranks, std::uint64_t end) {
    return std::clamp(end, ranks.begin, ranks.end) - ranks.begin;
}

/// Accumulates the counts of one GPU, segment by segment.
class ChunkCounter {
  public:
    ChunkCounter(KeyGenerator const& generator, IntervalEdges const& edges)
        : generator_(generator), edges_(edges) {}

    /// Adds the keys of a piece to counters [buckets x digits].
    void add(Piece const& piece, std::span<std::uint64_t> counters) {
        Segment const& segment = piece.segment;
        std::uint64_t const n = generator_.key_count();
        switch (segment.draw) {
        case Draw::constant:
            if (auto const slot = edges_.slot_of(generator_.widened(segment.image))) {
                counters[*slot] += piece.range.size();
            }
            return;
        case Draw::independent:
            add_independent(piece, counters);
            return;
        case Draw::ascending:
            add_ranks(piece.range, counters);
            return;
        case Draw::descending:
            add_ranks(mirrored(piece.range, n), counters);
            return;
        case Draw::mostly_ascending:
            add_mixed(piece.range, counters);
            return;
        }
    }

  private:
    /// A window's share below each edge in its reach. Cached, because blocks of an input repeat
    /// their windows and the divisions dominate the cost.
    struct Window {
        IntervalEdges::Reach reach;
        std::vector<uint128> fractions; ///< [reach] fractions of the window's own draws
    };

    void add_independent(Piece const& piece, std::span<std::uint64_t> counters) {
        std::uint64_t const count = piece.range.size();
        Window const& window = window_of(piece.segment);
        edges_.add_differences(window.reach, counters, [&](std::size_t index) {
            return rounded_share(count, window.fractions[index - window.reach.first]);
        });
    }

    Window const& window_of(Segment const& segment) {
        auto const [place, added] = windows_.try_emplace({segment.u_begin, segment.u_width});
        Window& window = place->second;
        if (!added) {
            return window;
        }
        uint128 const width = segment.u_width == 0 ? two_to_64 : uint128{segment.u_width};
        uint128 const low = segment.u_begin;
        uint128 const high = low + width;
        window.reach = edges_.reach(low, high);
        for (std::size_t i = window.reach.first; i <= window.reach.last; ++i) {
            uint128 const inside = std::clamp(edges_.edge(i).fractions, low, high) - low;
            // Number of draws u with floor(u width / 2^64) < inside.
            bool const all = inside == width;
            window.fractions.push_back(all ? two_to_64 : ((inside << 64) + width - 1) / width);
        }
        return window;
    }

    void add_ranks(IndexRange ranks, std::span<std::uint64_t> counters) const {
        uint128 const low = generator_.fraction_of_rank(ranks.begin);
        uint128 const high = uint128{generator_.fraction_of_rank(ranks.end - 1)} + 1;
        edges_.add_differences(edges_.reach(low, high), counters, [&](std::size_t index) {
            return ranks_below(ranks, edges_.edge(index).ranks);
        });
    }

    void add_mixed(IndexRange ranks, std::span<std::uint64_t> counters) const {
        uint128 const share = generator_.recipe().random_share;
        uint128 const rest = two_to_64 - share;
        std::uint64_t const count = ranks.size();
        auto const everything = edges_.reach(0, two_to_64);
        edges_.add_differences(everything, counters, [&](std::size_t index) {
            auto const& edge = edges_.edge(index);
            uint128 const random = (edge.fractions * share) >> 64;
            uint128 const sum = random * count + rest * ranks_below(ranks, edge.ranks);
            return static_cast<std::uint64_t>((sum + (uint128{1} << 63)) >> 64);
        });
    }

    std::map<std::pair<std::uint64_t, std::uint64_t>, Window> windows_;
    KeyGenerator const& generator_;
    IntervalEdges const& edges_;
};

} // namespace

ClosedFormSource::ClosedFormSource(KeyGenerator generator, Direction direction)
    : generator_(std::move(generator)), direction_(direction),
      counts_(determined_by_position(generator_.recipe()) ? Counts::exact : Counts::expected) {}

std::vector<BucketHistogram> ClosedFormSource::histograms(Chunks const& chunks,
                                                          DigitLayout const& layout,
                                                          std::span<BucketPrefix const> buckets) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    KEYSWAP_EXPECTS(layout.key_bits() == key_bits(generator_.request().key_type));
    if (buckets.empty()) {
        return {};
    }
    return histograms(
        chunks, refined_by_digit(layout, buckets), layout.digit_count(buckets.front().pass + 1));
}

std::vector<BucketHistogram> ClosedFormSource::histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    if (buckets.empty()) {
        return {};
    }
    IntervalEdges const edges(generator_, counted_intervals(buckets, child_count), direction_);
    RowPool pool(prefixes_of(buckets), chunks.gpu_count(), child_count);
    ChunkCounter counter(generator_, edges);
    // If position does not matter, chunks of equal size have equal counts.
    auto const& segments = generator_.recipe().segments;
    bool const by_size = segments.size() == 1 && segments.front().draw == Draw::independent;
    std::map<std::uint64_t, GpuId> first_of_size;
    std::vector<std::uint64_t> counters(buckets.size() * child_count, 0);
    for (GpuId gpu{0}; gpu.value < chunks.gpu_count(); ++gpu.value) {
        IndexRange const chunk = chunks.of(gpu);
        if (chunk.size() == 0) {
            continue;
        }
        if (by_size) {
            auto const [same, added] = first_of_size.try_emplace(chunk.size(), gpu);
            if (!added) {
                pool.copy_rows(same->second, gpu);
                continue;
            }
        }
        std::size_t segment = generator_.segment_at(chunk.begin);
        for (std::uint64_t begin = chunk.begin; begin < chunk.end; ++segment) {
            std::uint64_t const end = std::min(chunk.end, generator_.segment_end(segment));
            if (begin < end) {
                counter.add({segments[segment], {begin, end}}, counters);
            }
            begin = end;
        }
        pool.take_rows(gpu, counters);
    }
    return std::move(pool).histograms();
}

std::vector<uint128> ClosedFormSource::images_at(std::span<std::uint64_t const> positions) {
    return generated_images(generator_, direction_, positions);
}

} // namespace keyswap::model
